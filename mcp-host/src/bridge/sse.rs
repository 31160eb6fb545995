//! The data of server-sent events, from chunks cut anywhere.

use crate::limits;

#[derive(Debug, Default)]
pub(super) struct Events {
    buffer: Vec<u8>,
    data: String,
}

/// An event is longer than the bridge carries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// The data of every event that this chunk completes.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut complete = Vec::new();
        self.buffer.extend_from_slice(chunk);
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\r', '\n']);
            if line.is_empty() {
                let data = std::mem::take(&mut self.data);
                if !data.trim().is_empty() {
                    complete.push(data);
                }
            } else if let Some(data) = line.strip_prefix("data:") {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            }
        }
        if self.buffer.len() + self.data.len() > limits::BRIDGE_MESSAGE_BYTES_MAX {
            return Err(TooLong);
        }
        Ok(complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_out_whole_wherever_the_chunks_are_cut() {
        let stream =
            ": hello\r\nid: 0\nretry: 3000\ndata:\n\nevent: message\ndata: {\"a\":\ndata: 1}\n\ndata: é\n\n";
        for size in 1..stream.len() {
            let mut events = Events::default();
            let mut seen = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                seen.extend(events.push(chunk).unwrap());
            }
            assert_eq!(seen, ["{\"a\":\n1}", "é"], "chunks of {size}");
        }
    }

    #[test]
    fn an_endless_event_is_cut_off() {
        let mut events = Events::default();
        let chunk = vec![b'x'; limits::BRIDGE_MESSAGE_BYTES_MAX];
        assert_eq!(events.push(&chunk), Ok(Vec::new()));
        assert_eq!(events.push(b"x"), Err(TooLong));
    }
}
