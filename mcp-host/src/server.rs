//! The door as rmcp sees it: our data and functions behind its `ServerHandler`.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CompletionInfo, CreateTaskResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, GetTaskParams, GetTaskResult, ListPromptsResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, Role, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};

use crate::ask::{self, Asker};
use crate::door::Inner;
use crate::handler::{Call, Client, Generation, Reply, Tasks};
use crate::identity::Identity;
use crate::{journal, limits, wire};

/// One client's view of a door.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) door: Arc<Inner>,
    /// Who is on the other end of a pipe; over HTTP every request brings its own.
    pub(crate) fixed: Option<Identity>,
}

type Context = RequestContext<RoleServer>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.door.info.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.door.registry.get(name).map(|entry| entry.tool.clone())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = self.door.registry.page(cursor.as_deref(), self.door.settings.page_size);
        let (tools, next_cursor) =
            page.ok_or_else(|| ErrorData::invalid_params("the cursor is not one this server gave", None))?;
        let mut result = ListToolsResult::with_all_items(tools)
            .with_ttl_ms(limits::LISTING_TTL_MS)
            .with_cache_scope(CacheScope::Public);
        result.next_cursor = next_cursor;
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let identity = self.identity(&context)?;
        let door = &self.door;
        let arguments = request.arguments.clone().unwrap_or_default();
        let mut line = journal::line(&door.settings.door, &request.name, &identity, &arguments);
        let result = self.answer(request, arguments, identity.clone(), context).await;
        line.outcome = match &result {
            Ok(reply) => journal::outcome(reply),
            Err(error) => error.code.0.to_string(),
        };
        if let Some(journal) = &door.settings.journal {
            journal(&identity, line);
        }
        Ok(match result? {
            Reply::Done(output) => wire::result(output).into(),
            Reply::Ask(waiting) => (*waiting.0).into(),
            Reply::Task(task) => CreateTaskResult::new(wire::task(&task)).into(),
        })
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.door.resources.iter().map(crate::content::Resource::to_wire).collect();
        Ok(ListResourcesResult::with_all_items(resources)
            .with_ttl_ms(limits::LISTING_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let resource = self.door.resources.iter().find(|resource| resource.uri == request.uri);
        let resource = resource.ok_or_else(|| {
            ErrorData::resource_not_found(format!("there is no resource `{}`", request.uri), None)
        })?;
        Ok(ReadResourceResult::new(vec![resource.to_contents()])
            .with_ttl_ms(limits::LISTING_TTL_MS)
            .with_cache_scope(CacheScope::Public)
            .into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.door.prompts.iter().map(crate::content::Prompt::to_wire).collect();
        Ok(ListPromptsResult::with_all_items(prompts)
            .with_ttl_ms(limits::LISTING_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = self.door.prompts.iter().find(|prompt| prompt.name == request.name);
        let prompt = prompt.ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None)
        })?;
        let given: BTreeMap<String, String> =
            request.arguments.into_iter().flatten().filter_map(text).collect();
        let text = prompt.fill(&given).map_err(|missing| {
            ErrorData::invalid_params(format!("the prompt needs its argument `{missing}`"), None)
        })?;
        let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
        result.description = Some(prompt.description.clone());
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let values = match &request.r#ref {
            Reference::Prompt(reference) => self.completions(&reference.name, &request.argument.name),
            Reference::Resource(_) => None,
            _ => None,
        };
        let typed = request.argument.value.to_lowercase();
        let mut fitting: Vec<String> = values.unwrap_or_default().to_vec();
        fitting.retain(|value| value.to_lowercase().starts_with(&typed));
        fitting.truncate(limits::COMPLETIONS_MAX);
        let completion = CompletionInfo::with_all_values(fitting)
            .map_err(|reason| ErrorData::internal_error(reason, None))?;
        Ok(CompleteResult::new(completion))
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        let identity = self.identity(&context)?;
        let task = self.tasks()?.get(&identity, &request.task_id).await;
        let task = task.ok_or_else(|| no_task(&request.task_id))?;
        Ok(GetTaskResult::new(wire::detailed_task(task)))
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        let identity = self.identity(&context)?;
        let answers: Map<String, Value> = request.input_responses.into_iter().collect();
        let found = self.tasks()?.answer(&identity, &request.task_id, answers).await;
        if found { Ok(()) } else { Err(no_task(&request.task_id)) }
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        let identity = self.identity(&context)?;
        let found = self.tasks()?.cancel(&identity, &request.task_id).await;
        if found { Ok(()) } else { Err(no_task(&request.task_id)) }
    }
}

impl Server {
    /// Validates, then hands the call to the handler. A protocol error means that no tool could be addressed.
    async fn answer(
        &self,
        request: CallToolRequestParams,
        arguments: Map<String, Value>,
        identity: Identity,
        context: Context,
    ) -> Result<Reply, ErrorData> {
        let entry = self.door.registry.get(&request.name).ok_or_else(|| {
            let detail = format!("there is no tool `{}`; tools/list names them all", request.name);
            ErrorData::invalid_params(detail, None)
        })?;
        if let Err(problem) = entry.checker.check(&arguments) {
            return Ok(Reply::error(self.door.refusal(problem)));
        }
        let client = client(&context);
        let ask = self.asker(&request, &arguments, &identity, &client, context)?;
        let call = Call { name: request.name.into_owned(), arguments, identity, client, ask };
        Ok(self.door.handler.call(call).await)
    }

    fn asker(
        &self,
        request: &CallToolRequestParams,
        arguments: &Map<String, Value>,
        identity: &Identity,
        client: &Client,
        context: Context,
    ) -> Result<Asker, ErrorData> {
        match client.generation {
            Generation::Sessions => Ok(Asker::over_session(client.clone(), context.peer)),
            Generation::Stateless => {
                let binding = ask::binding(identity, &request.name, arguments);
                let responses = request.input_responses.clone().unwrap_or_default();
                let codec = Arc::clone(&self.door.codec);
                Asker::over_retry(client.clone(), codec, binding, request.request_state.as_deref(), responses)
                    .map_err(|error| {
                        tracing::warn!(%error, tool = %request.name, "a request state was refused");
                        ErrorData::invalid_params(
                            "the requestState was not given for this call; call again without it",
                            None,
                        )
                    })
            }
        }
    }

    /// Who is calling: fixed on a pipe, put there by the gate over HTTP.
    fn identity(&self, context: &Context) -> Result<Identity, ErrorData> {
        let from_gate = || {
            let parts = context.extensions.get::<http::request::Parts>()?;
            parts.extensions.get::<rmcp::model::Extensions>()?.get::<Identity>().cloned()
        };
        self.fixed.clone().or_else(from_gate).ok_or_else(|| {
            tracing::error!("a request came through without an identity");
            ErrorData::internal_error("the request has no identity", None)
        })
    }

    fn tasks(&self) -> Result<&dyn Tasks, ErrorData> {
        self.door.handler.tasks().ok_or_else(|| ErrorData::internal_error("this server has no tasks", None))
    }

    fn completions(&self, prompt: &str, argument: &str) -> Option<&[String]> {
        let prompt = self.door.prompts.iter().find(|candidate| candidate.name == prompt)?;
        let argument = prompt.arguments.iter().find(|candidate| candidate.name == argument)?;
        Some(&argument.values)
    }
}

/// What this request says about its client. A stateless request speaks only for itself.
fn client(context: &Context) -> Client {
    let version = context.protocol_version();
    let generation = match &version {
        Some(version) if !version.has_initialize() => Generation::Stateless,
        Some(_) | None => Generation::Sessions,
    };
    let (info, capabilities) = match generation {
        Generation::Sessions => (context.client_info(), context.client_capabilities()),
        Generation::Stateless => (context.meta.client_info(), context.meta.client_capabilities()),
    };
    let capabilities = capabilities.unwrap_or_default();
    let elicitation = capabilities.elicitation.as_ref();
    Client {
        name: info.as_ref().map(|info| info.name.clone()),
        version: info.map(|info| info.version),
        protocol: version.map(|version| version.to_string()).unwrap_or_default(),
        generation,
        // An empty capability is an older client's way to say "forms".
        asks_by_form: elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none()),
        asks_by_url: elicitation.is_some_and(|modes| modes.url.is_some()),
        shows_apps: capabilities
            .extensions
            .as_ref()
            .is_some_and(|extensions| extensions.contains_key(crate::door::APPS_EXTENSION_ID)),
        polls_tasks: capabilities.supports_tasks(),
    }
}

fn no_task(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task `{id}`"), None)
}

fn text((name, value): (String, Value)) -> Option<(String, String)> {
    match value {
        Value::String(text) => Some((name, text)),
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Some((name, value.to_string()))
        }
    }
}
