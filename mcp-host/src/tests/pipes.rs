//! One client on a pipe.

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

use super::*;

pub(super) struct Pipe {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Pipe {
    pub(super) fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self { lines: BufReader::new(reader).lines(), writer }
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub(super) async fn raw(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    /// The next line, which must be exactly one JSON message.
    pub(super) async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line()).await.unwrap();
        serde_json::from_str(&line.unwrap().unwrap()).unwrap()
    }

    pub(super) async fn close(mut self) {
        self.writer.shutdown().await.unwrap();
    }
}

fn open() -> (Pipe, tokio::task::JoinHandle<Result<(), StdioError>>, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    let door = door(&seen);
    let serving =
        tokio::spawn(async move { door.serve(reader, writer, Identity::new("ann", "main", 3_u32)).await });
    (Pipe::new(ours), serving, seen)
}

#[tokio::test]
async fn an_older_client_shakes_hands_and_answers_questions() {
    let (mut pipe, serving, seen) = open();
    pipe.send(&initialize(json!({ "elicitation": {} }))).await;
    assert_eq!(pipe.read().await["result"]["serverInfo"]["name"], "test-server");
    pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    pipe.send(&call("whoami", json!({}))).await;
    assert_eq!(pipe.read().await["result"]["structuredContent"]["token"], 3);

    pipe.send(&call("agree", json!({}))).await;
    let question = pipe.read().await;
    assert_eq!(question["method"], "elicitation/create");
    let result = json!({ "action": "accept", "content": { "amount": 9 } });
    pipe.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await;
    assert_eq!(pipe.read().await["result"]["structuredContent"]["content"]["amount"], 9);
    assert_eq!(seen.tokens.lock().unwrap().len(), 1);
    pipe.close().await;
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_newer_client_begins_with_any_request() {
    let (mut pipe, serving, _seen) = open();
    let mut first = call("whoami", json!({}));
    first["params"]["_meta"] = stateless_meta(json!({}));
    pipe.send(&first).await;
    let answer = pipe.read().await;
    assert_eq!(answer["result"]["structuredContent"]["client"], "new-client", "{answer}");
    pipe.close().await;
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_no_failure() {
    let (pipe, serving, _seen) = open();
    pipe.close().await;
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn calls_in_flight_are_answered_after_the_client_closed_its_end() {
    let (mut pipe, serving, _seen) = open();
    pipe.send(&initialize(json!({}))).await;
    pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    pipe.send(&call("whoami", json!({}))).await;
    pipe.writer.shutdown().await.unwrap();
    assert_eq!(pipe.read().await["id"], 0);
    assert_eq!(pipe.read().await["result"]["structuredContent"]["subject"], "ann");
    serving.await.unwrap().unwrap();
}
