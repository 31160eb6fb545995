//! Asking the person, the same way in both protocol generations.
//!
//! With a session the question goes out in the middle of the call and [`Asker::ask`] waits for the answer. Without
//! one the call ends with the question ([`Asked::Later`], to be returned as [`crate::Reply::Ask`]) and comes again
//! with the answer; then [`Asker::ask`], reached again under the same key, returns it at once. Between the two the
//! client holds a state that is sealed, bound to caller, tool and arguments, and expires.
//!
//! The seal does not make an answer single-use. A handler puts a nonce into `about`, keeps it as a row, and spends
//! the row.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
    InputRequiredResult, InputResponses, RequestStateCodec, RequestStateError, SealOptions,
};
use rmcp::service::{Peer, RoleServer, ServiceError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::handler::Client;
use crate::identity::Identity;
use crate::limits;

/// One question.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name within the call: the same question must have the same key when the call comes again.
    key: String,
    /// The handler's own note, given back with the answer.
    about: Value,
    params: ElicitRequestParams,
}

/// A question that no client could show.
#[derive(Debug, thiserror::Error)]
#[error("the schema of a question may only have flat properties of simple types")]
pub struct QuestionError(#[source] serde_json::Error);

impl Question {
    /// A form built from a flat schema.
    ///
    /// # Errors
    /// When the schema nests, or is no object.
    pub fn form(key: &str, message: &str, schema: Value) -> Result<Self, QuestionError> {
        let schema: ElicitationSchema = serde_json::from_value(schema).map_err(QuestionError)?;
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: message.to_owned(),
            requested_schema: schema,
        };
        Ok(Self { key: key.to_owned(), about: Value::Null, params })
    }

    /// A page the person opens; the answer only says whether they agreed to. `id` must be unique to the question.
    #[must_use]
    pub fn url(key: &str, message: &str, url: &str, id: &str) -> Self {
        let params = ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: message.to_owned(),
            url: url.to_owned(),
            elicitation_id: id.to_owned(),
        };
        Self { key: key.to_owned(), about: Value::Null, params }
    }

    #[must_use]
    pub fn about(mut self, note: Value) -> Self {
        self.about = note;
        self
    }

    fn is_form(&self) -> bool {
        matches!(self.params, ElicitRequestParams::FormElicitationParams { .. })
    }

    /// The question as it stands in a task or in an input-required result.
    pub(crate) fn to_wire(&self) -> (String, InputRequest) {
        let mut params = self.params.clone();
        if let ElicitRequestParams::UrlElicitationParams { elicitation_id, .. } = &mut params {
            // The stateless generation has no such id.
            elicitation_id.clear();
        }
        (self.key.clone(), InputRequest::Elicitation(ElicitRequest::new(params)))
    }
}

/// What became of a question.
#[derive(Debug)]
pub enum Asked {
    Answered(Answer),
    /// Return this as [`crate::Reply::Ask`]; the call will come again.
    Later(Waiting),
    /// This client cannot ask. Say in a plain result what is needed.
    Unavailable,
}

/// What the person chose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub choice: Choice,
    /// The filled form; empty for a page and unless accepted.
    pub content: Map<String, Value>,
    /// The note of the question that was answered, which may be older than the one asked now.
    pub about: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    Accept,
    Decline,
    /// Dismissed, or not answered in time.
    Cancel,
}

/// A question on its way to a client of the stateless generation.
#[derive(Debug)]
pub struct Waiting(pub(crate) Box<InputRequiredResult>);

/// What travels through the client between question and answer.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// The open question and its note.
    asked: BTreeMap<String, Value>,
    /// Answers of earlier rounds; a client sends only those of the last one.
    answers: BTreeMap<String, Answer>,
}

/// Puts questions to the person behind one call.
pub struct Asker {
    client: Client,
    answers: BTreeMap<String, Answer>,
    lane: Lane,
}

enum Lane {
    /// Asks over the session.
    Session(Peer<RoleServer>),
    /// Ends the call with the question.
    Retry {
        codec: Arc<RequestStateCodec>,
        binding: Vec<u8>,
    },
    Nowhere,
}

impl fmt::Debug for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asker").field("answers", &self.answers).finish_non_exhaustive()
    }
}

impl Asker {
    /// An asker for calls made without a client, as in tests: every question is unavailable.
    #[must_use]
    pub fn unavailable() -> Self {
        Self { client: Client::default(), answers: BTreeMap::new(), lane: Lane::Nowhere }
    }

    pub(crate) fn over_session(client: Client, peer: Peer<RoleServer>) -> Self {
        Self { client, answers: BTreeMap::new(), lane: Lane::Session(peer) }
    }

    /// Opens what the client sent back.
    ///
    /// # Errors
    /// When the state was not sealed here for this caller, tool and arguments.
    pub(crate) fn over_retry(
        client: Client,
        codec: Arc<RequestStateCodec>,
        binding: Vec<u8>,
        sealed: Option<&str>,
        responses: InputResponses,
    ) -> Result<Self, RequestStateError> {
        let mut answers = BTreeMap::new();
        if let Some(sealed) = sealed {
            match codec.open_json_with::<State>(sealed, &binding) {
                Ok(state) => answers = state.answers_with(responses),
                // Too late to count; the question is simply asked again.
                Err(RequestStateError::Expired) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { client, answers, lane: Lane::Retry { codec, binding } })
    }

    /// The answer to an earlier question of this call, for handlers that look before they ask.
    #[must_use]
    pub fn received(&self, key: &str) -> Option<&Answer> {
        self.answers.get(key)
    }

    /// Asks the person. Everything before this must be safe to do twice.
    pub async fn ask(&self, question: Question) -> Asked {
        if let Some(answer) = self.answers.get(&question.key) {
            return Asked::Answered(answer.clone());
        }
        let can_ask = if question.is_form() { self.client.asks_by_form } else { self.client.asks_by_url };
        if !can_ask {
            return Asked::Unavailable;
        }
        match &self.lane {
            Lane::Session(peer) => ask_over_session(peer, question).await,
            Lane::Retry { codec, binding } => self.ask_by_retry(codec, binding, &question),
            Lane::Nowhere => Asked::Unavailable,
        }
    }

    fn ask_by_retry(&self, codec: &RequestStateCodec, binding: &[u8], question: &Question) -> Asked {
        let state = State {
            asked: BTreeMap::from([(question.key.clone(), question.about.clone())]),
            answers: self.answers.clone(),
        };
        let options = SealOptions::new().associated_data(binding).ttl(limits::ASK_STATE_TTL);
        match codec.seal_json_with(&state, &options) {
            Ok(sealed) => {
                let requests = BTreeMap::from([question.to_wire()]);
                Asked::Later(Waiting(Box::new(InputRequiredResult::new(Some(requests), Some(sealed)))))
            }
            Err(error) => {
                tracing::error!(%error, "a question could not be sealed");
                Asked::Unavailable
            }
        }
    }
}

async fn ask_over_session(peer: &Peer<RoleServer>, question: Question) -> Asked {
    let Question { about, params, .. } = question;
    match peer.create_elicitation_with_timeout(params, Some(limits::ASK_TIMEOUT)).await {
        Ok(result) => Asked::Answered(answer(result, about)),
        Err(ServiceError::Timeout { .. }) => {
            Asked::Answered(Answer { choice: Choice::Cancel, content: Map::new(), about })
        }
        Err(error) => {
            tracing::warn!(%error, "the client did not take a question");
            Asked::Unavailable
        }
    }
}

fn answer(result: ElicitResult, about: Value) -> Answer {
    let choice = match result.action {
        ElicitationAction::Accept => Choice::Accept,
        ElicitationAction::Decline => Choice::Decline,
        ElicitationAction::Cancel => Choice::Cancel,
        // A word we do not know is certainly no yes.
        _ => Choice::Cancel,
    };
    let content = match (choice, result.content) {
        (Choice::Accept, Some(Value::Object(content))) => content,
        (Choice::Accept | Choice::Decline | Choice::Cancel, _) => Map::new(),
    };
    Answer { choice, content, about }
}

impl State {
    /// Adds the answers to the questions that were really asked; anything else the client sends is ignored.
    fn answers_with(self, mut responses: InputResponses) -> BTreeMap<String, Answer> {
        let mut answers = self.answers;
        for (key, about) in self.asked {
            let response = responses.remove(&key).map(serde_json::from_value::<ElicitResult>);
            if let Some(Ok(result)) = response {
                answers.insert(key, answer(result, about));
            }
        }
        answers
    }
}

/// What a sealed state belongs to: a state taken from another caller, tool or set of arguments does not open.
pub(crate) fn binding(identity: &Identity, tool: &str, arguments: &Map<String, Value>) -> Vec<u8> {
    let mut text = String::new();
    for part in [identity.subject(), identity.world(), tool] {
        // JSON strings end unmistakably, so no part can run into the next.
        text.push_str(&Value::from(part).to_string());
    }
    write_sorted(&mut text, &Value::Object(arguments.clone()));
    text.into_bytes()
}

/// JSON with sorted names, since a client may reorder what it repeats.
fn write_sorted(text: &mut String, value: &Value) {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<&String, &Value> = map.iter().collect();
            text.push('{');
            for (name, value) in sorted {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_sorted(text, value);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_sorted(text, item);
                text.push(',');
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string())
        }
    }
}
