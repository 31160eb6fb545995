use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use shop_domain::approvals::ApprovalEvent;
use shop_domain::code::ErrorCode;
use shop_domain::ids::ApprovalId;
use shop_domain::operations::Operation;
use shop_domain::status::ApprovalStatus;
use shop_store::entities::{approvals, principals};

use crate::Ctx;
use crate::error::{Error, Result};

/// The exact operation that is about to run.
struct Wanted<'a> {
    operation: &'static Operation,
    subject: &'a str,
    digest: String,
}

/// What an approval is bound to. Absent and null fields are the same here, and `approval_id` itself is left out.
///
/// # Errors
/// When the input is not JSON.
pub fn digest(operation: &str, subject: &str, input: &impl Serialize) -> Result<String> {
    let mut input = serde_json::to_value(input).map_err(|cause| Error::internal(cause.to_string()))?;
    if let Value::Object(fields) = &mut input {
        fields.retain(|name, value| name != "approval_id" && !value.is_null());
    }
    input.sort_all_objects();
    let text = format!("{operation}\n{subject}\n{input}");
    Ok(hex::encode(Sha256::digest(text)))
}

/// What a second person has to agree to, and why.
pub(crate) struct Signature<'a, I> {
    pub(crate) operation: &'static Operation,
    pub(crate) subject: &'a str,
    pub(crate) input: &'a I,
    pub(crate) approval_id: Option<ApprovalId>,
    pub(crate) reason: String,
}

/// Spends the approval of a call that needs one; returns that approval.
///
/// # Errors
/// `approval_pending` while there is none.
pub(crate) async fn signed<I: Serialize>(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    wanted: Signature<'_, I>,
) -> Result<Option<ApprovalId>> {
    let Signature { operation, subject, input, approval_id, reason } = wanted;
    match approval_id.or(ctx.call.approval_id) {
        Some(id) => {
            let wanted = Wanted { operation, subject, digest: digest(operation.id, subject, input)? };
            spend(tx, ctx, id, &wanted).await?;
            Ok(Some(id))
        }
        None if ctx.is_rehearsal() => {
            ctx.note_approval(reason);
            Ok(None)
        }
        None => Err(Error::new(
            ErrorCode::ApprovalPending,
            format!("{reason}; ask for it with request_approval for exactly this operation and the subject {subject}, then repeat it with the approval_id"),
        )
        .with_rule("approval_required")
        .with_layer("approval")),
    }
}

/// Uses up an approval, in the transaction of what it allows.
async fn spend(tx: &impl ConnectionTrait, ctx: &Ctx, id: ApprovalId, wanted: &Wanted<'_>) -> Result<()> {
    let row = approvals::Entity::find_by_id(id).one(tx).await?;
    let row = match row {
        Some(row) if is_of_the_same_person(tx, ctx, &row).await? => Some(row),
        Some(_) | None => None,
    };
    let row = row.ok_or_else(|| Error::not_found(format!("approval {id}")).with_layer("approval"))?;
    if row.operation != wanted.operation.id || row.subject != wanted.subject || row.digest != wanted.digest {
        let detail = format!(
            "approval {id} is for another operation, subject or body; ask for one for exactly this call"
        );
        return Err(Error::not_eligible("approval_mismatch", detail).with_layer("approval"));
    }
    if row.expires_at <= ctx.now() {
        return Err(Error::new(ErrorCode::ApprovalRejected, format!("approval {id} has expired"))
            .with_layer("approval"));
    }
    let (status, version) = (row.status, row.version);
    let Ok(used) = status.after(ApprovalEvent::Used) else { return Err(refused(id, status)) };
    let mut row = row.into_active_model();
    row.status = Set(used);
    row.version = Set(version + 1);
    row.update(tx).await?;
    Ok(())
}

/// An approval belongs to the person who asked for it, or whom the asking agent acts for: an action that an agent
/// began goes on as its person.
pub(super) async fn is_of_the_same_person(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    row: &approvals::Model,
) -> Result<bool> {
    let person = ctx.principal.person();
    if row.requester_id == ctx.principal.id || row.requester_id == person {
        return Ok(true);
    }
    let requester = principals::Entity::find_by_id(row.requester_id).one(tx).await?;
    Ok(requester.is_some_and(|requester| requester.on_behalf_of == Some(person)))
}

fn refused(id: ApprovalId, status: ApprovalStatus) -> Error {
    let error = match status {
        ApprovalStatus::Waiting => Error {
            approval_id: Some(id),
            ..Error::new(ErrorCode::ApprovalPending, format!("approval {id} is not decided yet; wait for it"))
                .after_ms(60_000)
        },
        ApprovalStatus::Approved
        | ApprovalStatus::Rejected
        | ApprovalStatus::Withdrawn
        | ApprovalStatus::Expired
        | ApprovalStatus::Used => {
            Error::new(ErrorCode::ApprovalRejected, format!("approval {id} is {status} and cannot be used"))
        }
    };
    error.with_layer("approval")
}
