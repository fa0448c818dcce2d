"""A scripted model with tools, for hosts and agents: it reads what they send over the interface of their provider. By
default it calls the tool `debate`, then `debate_result` until the debate has closed, and then says the verdict."""

import http.server
import json
import threading

SENTENCE = "Debate this: the town should close its river road to cars."
MOTION = "The town should close its river road to cars."
# At most this many calls of tools, so that a debate that never closes ends the conversation all the same.
CALLS = 12


def wanted(tools, results, searched):
    """What the model does next: the name of a tool with its arguments, or the last text. `results` are the texts that
    the tools gave so far, but for the first `searched`, which are searches for tools: a host whose server still starts
    offers its tools by a search."""
    if len(results) >= CALLS:
        return None, "the debate did not close"
    if "ToolSearch" in tools and not any(tool.endswith("__debate") for tool in tools):
        return "ToolSearch", {"query": "select:mcp__plugin_agon_agon__debate,mcp__plugin_agon_agon__debate_result"}
    results = results[searched:]
    if not results:
        return pick(tools, "debate"), {"motion": MOTION, "kind": "exchange", "rounds": 0, "seconds": 1}
    last = found(results[-1])
    if last is None:
        return None, f"no result: {results[-1][:400]}"
    if last["status"] in ("running", "waiting"):
        return pick(tools, "debate_result"), {"debate": last["debate"], "seconds": 20}
    return None, f"{last['debate']} {last['status']}: {last.get('outcome')} {last.get('reason') or ''}"


def pick(tools, name):
    """The host's name for one of agon's tools: hosts put the server's name in front, with signs of their own."""
    fitting = [tool for tool in tools if tool == name or (tool.endswith(f"_{name}") and "agon" in tool)]
    if not fitting:
        raise LookupError(f"no tool {name} among {tools}")
    return min(fitting, key=len)


def found(text):
    """The JSON object with a status in the text of a result, however the host wraps it."""
    decoder = json.JSONDecoder()
    for at, sign in enumerate(text):
        if sign == "{":
            try:
                value, _ = decoder.raw_decode(text, at)
            except ValueError:
                continue
            if "status" in value and "debate" in value:
                return value
    return None


def texts(value):
    """Every text within a JSON value, those that are JSON themselves unwrapped once."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(inner)


class Anthropic:
    @staticmethod
    def read(body):
        tools = [tool["name"] for tool in body.get("tools", [])]
        blocks = [block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]]
        results = ["\n".join(texts(block["content"])) for block in blocks if block["type"] == "tool_result"]
        return tools, results

    @staticmethod
    def events(number, tool, value):
        yield "message_start", {"message": {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": [], "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}}
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": {}} if tool else {"type": "text", "text": ""}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(value)} if tool else {"type": "text_delta", "text": value}
        yield "content_block_start", {"index": 0, "content_block": block}
        yield "content_block_delta", {"index": 0, "delta": delta}
        yield "content_block_stop", {"index": 0}
        yield "message_delta", {"delta": {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 9}}
        yield "message_stop", {}


class Responses:
    """Codex offers the tools of a server in a script: its tool `exec` runs JavaScript, whose object `tools` has them, but
    says their names only on request."""

    names = ("debate", "debate_result")

    @staticmethod
    def read(body):
        offered = body.get("tools", []) + [tool for item in body["input"] for tool in item.get("tools", [])]
        inner = [one.get("name") for tool in offered for one in tool.get("tools", [tool])]
        listed = json.dumps(body["input"])
        tools = ["ToolSearch", "exec"] if "exec" in inner else []
        if tools and ("- mcp__agon: " in listed or f"found mcp__agon__{Responses.names[0]}" in listed):
            tools += [f"mcp__agon__{name}" for name in Responses.names]
        outputs = ("function_call_output", "custom_tool_call_output")
        results = ["\n".join(texts(item["output"])) for item in body["input"] if item.get("type") in outputs]
        return tools, results

    @staticmethod
    def events(number, tool, value):
        item = {"type": "message", "id": f"item_{number}", "role": "assistant", "content": [{"type": "output_text", "text": value}]}
        if tool:
            script = f"text(await tools.{tool}({json.dumps(value)}))"
            if tool == "ToolSearch":
                script = "await new Promise(done => setTimeout(done, 3000)); "
                script += "text(ALL_TOOLS.map(tool => `found ${tool.name}`).join(' '))"
            call = {"call_id": f"call_{number}", "name": "exec", "namespace": "functions", "input": script}
            item = {"type": "custom_tool_call", "id": f"item_{number}", **call}
        response = {"id": f"resp_{number}", "object": "response", "output": [item], "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
        yield "response.created", {"response": response | {"output": []}}
        yield "response.output_item.added", {"output_index": 0, "item": item}
        yield "response.output_item.done", {"output_index": 0, "item": item}
        yield "response.completed", {"response": response}


class Gemini:
    @staticmethod
    def read(body):
        tools = [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
        parts = [part for content in body["contents"] for part in content["parts"]]
        results = ["\n".join(texts(part["functionResponse"])) for part in parts if "functionResponse" in part]
        return tools, results

    @staticmethod
    def events(number, tool, value):
        part = {"functionCall": {"name": tool, "args": value}} if tool else {"text": value}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        yield None, {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}


class Chat:
    """OpenAI's chat completions."""

    @staticmethod
    def read(body):
        tools = [tool["function"]["name"] for tool in body.get("tools", [])]
        return tools, [message["content"] for message in body["messages"] if message["role"] == "tool"]

    @staticmethod
    def events(number, tool, value):
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(value)}}
        delta = {"tool_calls": [call]} if tool else {"content": value}
        yield None, {"model": "scripted", "choices": [{"index": 0, "delta": {"role": "assistant", **delta}}]}
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if tool else "stop"}
        yield None, {"model": "scripted", "choices": [end], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}


class Ollama(Chat):
    @staticmethod
    def events(number, tool, value):
        call = {"tool_calls": [{"function": {"name": tool, "arguments": value}}]} if tool else {}
        yield None, {"model": "scripted", "message": {"role": "assistant", "content": "" if tool else value, **call}, "done": False}
        yield None, {"model": "scripted", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}


# By what the path of a request has at its end or within it.
INTERFACES = {"/messages": Anthropic, "/responses": Responses, "generateContent": Gemini, "GenerateContent": Gemini, "/chat/completions": Chat, "/api/chat": Ollama}


class HostModel:
    """The server. `asked` holds the path and the names of tools of each request; `wanted` says what the model does next."""

    def __init__(self, wanted=wanted):
        model = self
        self.wanted, self.untooled = wanted, "{}"
        self.asked, self.errors, self.searched, self.lock = [], [], 0, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
                model.answer(self, body)

            def do_GET(self):
                self.send(404, "application/json", b"{}")

            def send(self, status, kind, content):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler, body):
        path = handler.path.split("?")[0]
        interface = next((interface for part, interface in INTERFACES.items() if part in path), None)
        if interface is None:
            return handler.send(404, "application/json", b"{}")
        tools, results = interface.read(body)
        with self.lock:
            self.asked.append((path, tools, body))
            number = len(self.asked)
        try:
            # What offers no tools is a side question of the host, such as a title for the conversation.
            tool, value = self.wanted(tools, results, self.searched) if tools else (None, self.untooled)
            self.searched += tool == "ToolSearch"
        except LookupError as error:
            self.errors.append(str(error))
            tool, value = None, str(error)
        events = list(interface.events(number, tool, value))
        if interface is Anthropic and not body.get("stream") or interface is Gemini and "stream" not in path:
            return handler.send(200, "application/json", json.dumps(whole(interface, events)).encode())
        if interface is Ollama:
            return handler.send(200, "application/x-ndjson", "".join(json.dumps(data) + "\n" for _, data in events).encode())
        lines = [(f"event: {name}\n" if name else "") + f"data: {json.dumps({'type': name, **data} if name else data)}\n\n" for name, data in events]
        handler.send(200, "text/event-stream", "".join(lines).encode())

    def close(self):
        self.server.shutdown()


def whole(interface, events):
    """The answer to a request that wanted no stream."""
    if interface is Gemini:
        return events[0][1]
    data = dict(events)
    message = data["message_start"]["message"]
    delta = data["content_block_delta"]["delta"]
    text = delta.get("text")
    block = data["content_block_start"]["content_block"]
    block = block | ({"text": text} if text is not None else {"input": json.loads(delta["partial_json"])})
    return message | {"content": [block], "stop_reason": data["message_delta"]["delta"]["stop_reason"]}
