import type {Answer, Client} from "../../shared/api/operations/client.ts"
import {serve} from "../../shared/api/operations/operation.ts"
import {consoleOperations, probeOperations} from "../../shared/api/operations/public.ts"

/** Handlers have the types of their operations. */
export const handlers = [
  // @ts-expect-error: another answer
  serve({health: probeOperations.health}, {health: () => ({status: "fail"})}),
  // @ts-expect-error: no such parameter of the path
  serve({file: consoleOperations.file}, {file: ({params}) => new Response(params.name)}),
]

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export const calls = async (api: Client<{readonly token: string}>) => {
  const {items, next}: Answer<"GET", "/api/inbox"> = await api.get("/api/inbox", {state: "failed", limit: 2})
  await api.get("/api/inbox", {cursor: next ?? undefined}, {token: "of a viewer"})
  await api.post("/api/inbox/:seq/retry", {seq: items[0]?.seq ?? 0})
  await api.post("/api/generations/unpin")
  await api.post("/api/generations/unpin", {}, {token: "of an owner"})
  // One of several operations.
  const {checkpointFailure} = await api.get(next === null ? "/api/system/status" : "/api/system/readiness")
  // @ts-expect-error: no such path
  await api.get("/api/agentz")
  // @ts-expect-error: a path of another method
  await api.post("/api/inbox")
  // @ts-expect-error: the number of the event is missing
  await api.get("/api/inbox/:seq")
  // @ts-expect-error: no such filter
  await api.get("/api/inbox", {stat: "failed"})
  // @ts-expect-error: the operation has no input
  await api.post("/api/generations/unpin", {number: 1})
  // @ts-expect-error: the body is missing
  await api.post("/api/outbox")
  // @ts-expect-error: a body of another shape
  await api.post("/api/outbox", {body: {endpoint: "irc", channel: "#a", content: "hello"}})
  // @ts-expect-error: the answer has no such property
  items[0]?.sequence
  return checkpointFailure
}
