//! The floor: the same rows with plain sea-orm statements, and a plain MCP server with the same list of tools.

use std::net::TcpListener;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use actix_web::web::{Data, Json, Path};
use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::Context as _;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, NotSet, QueryFilter, QueryOrder, Set,
};
use serde_json::{Value, json};
use shop_domain::ids::{EventId, LedgerTransactionId, OrderId, OrderLineId, PaymentId};
use shop_domain::ledger::Account;
use shop_domain::status::PaymentState;
use shop_store::Db;
use shop_store::entities::{events, inventory_levels, ledger_entries, order_lines, orders, payments};
use shop_world::World;
use twinshop_seed::Profile;

use crate::plain::Plain;

/// After those that are seeded.
const FIRST_NUMBER: i64 = 1_000_000;

struct Floor {
    db: Db,
    /// Of the next order.
    number: AtomicI64,
    world: Arc<World>,
}

/// Serves until the process is killed; says where in one line through `say`. `tools` is a file with the tools to list.
///
/// # Errors
/// When no port is free.
pub async fn serve(tools: &FilePath, say: impl Fn(&Value)) -> anyhow::Result<()> {
    let template = twinshop_seed::template(Profile::Workshop, 42).await?;
    let db = Db::from_snapshot(&template.database).await?;
    let order = orders::Entity::find().filter(orders::Column::Number.eq(1_001)).one(db.reader()).await?;
    let order = order.context("the seeded shop has no order 1001")?.id;
    let floor = Data::new(Floor { db, number: AtomicI64::new(FIRST_NUMBER), world: World::for_tests() });
    let (rest, mcp) = (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
    let ready = json!({
        "rest": format!("http://{}", rest.local_addr()?),
        "mcp": format!("http://{}/mcp", mcp.local_addr()?),
        "order": order.to_string(),
    });
    let app = move || {
        App::new()
            .app_data(floor.clone())
            .route("/order/{id}", web::get().to(read))
            .route("/checkout", web::post().to(checkout))
    };
    let rest = HttpServer::new(app).workers(2).tcp_nodelay(true).listen(rest)?.run();
    let plain = Plain::read(tools)?.service();
    let door = HttpServer::new(move || App::new().service(plain.clone().scope_with_path("/mcp")));
    let door = door.workers(2).tcp_nodelay(true).listen(mcp)?.run();
    say(&ready);
    tokio::try_join!(rest, door)?;
    Ok(())
}

async fn read(floor: Data<Floor>, id: Path<OrderId>) -> HttpResponse {
    let conn = floor.db.reader();
    let order = orders::Entity::find_by_id(*id).one(conn).await;
    let lines = order_lines::Entity::find()
        .filter(order_lines::Column::OrderId.eq(*id))
        .order_by_asc(order_lines::Column::Position)
        .all(conn)
        .await;
    match (order, lines) {
        (Ok(Some(order)), Ok(lines)) => HttpResponse::Ok().json(json!({
            "id": order.id, "number": order.number, "status": order.status, "payment_status": order.payment_status,
            "fulfillment_status": order.fulfillment_status, "currency": order.currency,
            "subtotal_minor": order.subtotal_minor, "discount_minor": order.discount_minor,
            "shipping_minor": order.shipping_minor, "tax_minor": order.tax_minor, "total_minor": order.total_minor,
            "shipping_address": order.shipping_address, "placed_at": order.placed_at, "version": order.version,
            "lines": lines.iter().map(|line| json!({
                "id": line.id, "variant_id": line.variant_id, "title": line.title, "sku": line.sku,
                "options": line.options, "quantity": line.quantity, "unit_price_minor": line.unit_price_minor,
                "total_minor": line.total_minor,
            })).collect::<Vec<_>>(),
        })),
        _ => HttpResponse::NotFound().finish(),
    }
}

async fn checkout(floor: Data<Floor>, _: Json<Value>) -> HttpResponse {
    match buy(&floor).await {
        Ok(total) => HttpResponse::Ok().json(json!({ "total_minor": total })),
        Err(error) => HttpResponse::InternalServerError().body(error.to_string()),
    }
}

/// The rows of one paid order, and no rule.
async fn buy(floor: &Floor) -> anyhow::Result<i64> {
    let id = |stream: &str| floor.world.ids.next(stream);
    let tx = floor.db.begin().await?;
    let like = orders::Entity::find()
        .filter(orders::Column::Number.eq(1_001))
        .one(&*tx)
        .await?
        .context("no order")?;
    let line = order_lines::Entity::find().filter(order_lines::Column::OrderId.eq(like.id)).one(&*tx).await?;
    let line = line.context("no line")?;
    inventory_levels::Entity::update_many()
        .col_expr(inventory_levels::Column::Reserved, Expr::col(inventory_levels::Column::Reserved))
        .filter(inventory_levels::Column::VariantId.eq(line.variant_id))
        .exec(&*tx)
        .await?;
    let order = OrderId::new(id("order"));
    let mut row = like.clone().into_active_model();
    row.id = Set(order);
    row.number = Set(floor.number.fetch_add(1, Ordering::Relaxed));
    row.insert(&*tx).await?;
    let mut row = line.into_active_model();
    row.id = Set(OrderLineId::new(id("line")));
    row.order_id = Set(order);
    row.insert(&*tx).await?;
    let payment = payments::Entity::find().filter(payments::Column::OrderId.eq(like.id)).one(&*tx).await?;
    let mut row = payment.context("no payment")?.into_active_model();
    let payment = PaymentId::new(id("payment"));
    row.id = Set(payment);
    row.order_id = Set(order);
    row.status = Set(PaymentState::Captured);
    row.insert(&*tx).await?;
    let transaction = LedgerTransactionId::new(id("ledger"));
    for (account, amount) in [(Account::Receivable, like.total_minor), (Account::Revenue, -like.total_minor)]
    {
        let entry = ledger_entries::ActiveModel {
            id: NotSet,
            transaction_id: Set(transaction),
            account: Set(account),
            amount_minor: Set(amount),
            currency: Set(like.currency),
            order_id: Set(Some(order)),
            payment_id: Set(Some(payment)),
            refund_id: Set(None),
            memo: Set("placed".to_owned()),
            created_at: Set(like.placed_at),
        };
        entry.insert(&*tx).await?;
    }
    let event = events::ActiveModel {
        seq: NotSet,
        id: Set(EventId::new(id("event"))),
        kind: Set("order.placed".to_owned()),
        subject: Set(order.to_string()),
        order_id: Set(Some(order)),
        data: Set(json!({})),
        at: Set(like.placed_at),
    };
    event.insert(&*tx).await?;
    tx.commit().await?;
    Ok(like.total_minor)
}
