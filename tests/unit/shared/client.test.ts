import {expect, test} from "vitest"
import {createClient} from "../../../shared/api/operations/client.ts"

test("a call becomes a method, an address with its parameters and query, a body, and the transport's options", async () => {
  const sent: unknown[] = []
  const api = createClient<string>(async (...request) => void sent.push(request))
  await api.get("/api/inbox", {text: "100% & more", plugin: undefined, cursor: null, repeats: true}, "options")
  await api.get("/api/endpoints")
  await api.post("/api/endpoints/:name/check", {name: "irc~a/b"})
  await api.post("/api/inbox/bulk", {limit: 1, body: {action: "retry"}})
  await api.post("/api/generations/:number/rollback", {number: 3})
  expect(sent).toEqual([
    ["GET", "/api/inbox?text=100%25+%26+more&repeats=true", undefined, "options"],
    ["GET", "/api/endpoints", undefined, undefined],
    ["POST", "/api/endpoints/irc~a%2Fb/check", undefined, undefined],
    ["POST", "/api/inbox/bulk?limit=1", {action: "retry"}, undefined],
    ["POST", "/api/generations/3/rollback", undefined, undefined],
  ])
})
