import {expect, onTestFinished, test} from "vitest"
import {Endpoints} from "../../../server/endpoints/endpoints.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"
import type {Feature, Sender} from "../../../shared/sdk/adapter/sender.ts"
import {h} from "../../../shared/sdk/content/elements.ts"
import {problemOf} from "../../support/host/problems.ts"
import {until} from "../../support/host/process.ts"
import {lineSpec, stored} from "../../support/messages/line-endpoint.ts"

type Download = NonNullable<Sender["download"]>

const file = {element: h("img", {src: "mxc://x/y"}), src: "mxc://x/y"}
const never = new AbortController().signal

/** Endpoints with an adapter that downloads in this way. */
const endpointsWith = async (download: Download, features: readonly Feature[] = ["download"]) => {
  const endpoints = new Endpoints({receive: async () => [stored(1)], online: () => {}})
  const open = async () => ({send: async () => ({ids: []}), download})
  await endpoints.apply([lineSpec({name: "line", fingerprint: "1", features, open})])
  endpoints.start()
  onTestFinished(() => endpoints.close())
  await until("the endpoint to be online", () => endpoints.get("line")?.state.is === "online")
  return endpoints
}

test("an adapter returns a stream or a response, and leaves other files to the Host", async () => {
  const answers = [
    new Blob(["stream"]).stream(),
    new Response("response", {headers: {"content-length": "8"}}),
    undefined,
  ]
  const endpoints = await endpointsWith(async () => answers.shift())
  const read = async () => {
    const source = await endpoints.download("line", file, never)
    return source && [source.size, await new Response(source.body).text()]
  }
  expect([await read(), await read(), await read()]).toEqual([[undefined, "stream"], [8, "response"], undefined])
})

test("an adapter without the feature is not asked", async () => {
  const endpoints = await endpointsWith(async () => Promise.reject(new Error("asked")), [])
  expect(await endpoints.download("line", file, never)).toBeUndefined()
  expect(await problemOf(endpoints.download("other", file, never))).toMatch(/^endpoint_unknown/)
})

test.each<[string, Download, string]>([
  [
    "refuses",
    async () => Promise.reject(refused("too old", {reason: "x", remediation: "y"})),
    "platform_failed: too old",
  ],
  [
    "fails",
    async () => Promise.reject(new Error("token 123")),
    "platform_failed: line failed; see the Host's log for the error",
  ],
  [
    "answers with an error",
    async () => new Response("no", {status: 403}),
    "file_unavailable: the platform of line answered 403",
  ],
  [
    "returns no stream",
    async () => "text" as never,
    "file_unavailable: the adapter of line returned a file that cannot be read",
  ],
])("an adapter that %s causes a problem", async (_, download, expected) => {
  expect(await problemOf((await endpointsWith(download)).download("line", file, never))).toBe(expected)
})

test("a read that ends while the adapter opens the file rejects at once, and its late result is cancelled", async () => {
  let cancelled = false
  let answer: (body: ReadableStream<Uint8Array>) => void = () => {}
  let signal: AbortSignal | undefined
  const endpoints = await endpointsWith((_, given) => {
    signal = given
    return new Promise(resolve => {
      answer = resolve
    })
  })
  const abort = new AbortController()
  const opening = endpoints.download("line", file, abort.signal).catch(reason => reason)
  await until("the adapter to be asked", () => signal !== undefined)
  abort.abort("over")
  expect(await opening).toBe("over")
  expect(signal?.aborted).toBe(true)
  answer(
    new ReadableStream({
      cancel: () => {
        cancelled = true
      },
    }),
  )
  await until("the body to be cancelled", () => cancelled)
})
