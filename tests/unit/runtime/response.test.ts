import {execFileSync} from "node:child_process"
import {expect, test} from "vitest"
import {loadRuntime} from "../../../server/runtime/engines/load-runtime.ts"
import {isStreamed} from "../../../server/runtime/sockets/streamed.ts"

/** As a plugin may take it before the Host has loaded its own. */
const Early = Response

test("a form response has the boundary of its body in its header", async () => {
  await (await loadRuntime()).prepare()
  const form = new FormData()
  form.append("name", "ada")
  const response = new Response(form)
  const [, boundary] =
    /^multipart\/form-data; ?boundary="?([^"]+)/.exec(response.headers.get("content-type") ?? "") ?? []
  const [first] = (await response.text()).split("\r\n")
  expect(first).toBe(`--${boundary}`)
})

test("a response is known as a stream by its body, whenever its class was taken", async () => {
  await (await loadRuntime()).prepare()
  const streamOf = () => new Blob(["a"]).stream()
  expect([new Response("a"), Response.json("a"), new Response(streamOf())].map(isStreamed)).toEqual([
    false,
    false,
    true,
  ])
  // On Bun, no plugin can run before.
  if (process.versions.bun === undefined) expect(isStreamed(new Early(streamOf()))).toBe(true)
})

/** Runs in a new process: another test may have used WebSocket in this process. */
const ofNewProcess = `
  const {loadRuntime} = await import("${new URL("../../../server/runtime/engines/load-runtime.ts", import.meta.url).pathname}")
  await loadRuntime()
  const unused = Object.getOwnPropertyDescriptor(globalThis, "WebSocket")
  const own = class {}
  globalThis.WebSocket = own
  const isReplaced = WebSocket === own
  Object.defineProperty(globalThis, "WebSocket", unused)
  const limited = WebSocket
  console.log(JSON.stringify([isReplaced, limited.name, limited.OPEN, WebSocket === limited, "value" in unused]))`

test.skipIf(process.versions.bun === undefined)("on Bun, WebSocket is limited from its first use, or replaced", () => {
  const told = execFileSync(process.execPath, ["-e", ofNewProcess], {encoding: "utf8"})
  expect(JSON.parse(told)).toEqual([true, "WebSocket", 1, true, false])
})
