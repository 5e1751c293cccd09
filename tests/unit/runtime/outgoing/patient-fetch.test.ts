import {createServer} from "node:http"
import {expect, onTestFinished, test} from "vitest"
import {dispatcherKey, patientFetch} from "../../../../server/runtime/outgoing/patient-fetch.ts"
import {listen} from "../../../support/machine/listen.ts"

test.skipIf(process.versions.bun !== undefined)(
  "Node's own dispatcher makes the connection, without its limits",
  async () => {
    const server = createServer((_, response) => response.end("here"))
    const url = `http://127.0.0.1:${await listen(server)}`
    await (await fetch(url)).text()
    const own = Reflect.get(globalThis, dispatcherKey())
    onTestFinished(() => void Reflect.set(globalThis, dispatcherKey(), own))
    const asked: object[] = []
    const dispatch = (options: object, handler: unknown) => {
      asked.push(options)
      return own.dispatch(options, handler)
    }
    Reflect.set(globalThis, dispatcherKey(), {dispatch})
    expect(await (await patientFetch(url, {method: "POST", body: "{}"})).text()).toBe("here")
    expect(asked).toMatchObject([{method: "POST", headersTimeout: 0, bodyTimeout: 0}])
  },
)

test("a request ends with its signal, before its headers and after them", async () => {
  const server = createServer((request, response) => {
    if (request.url !== "/late") response.writeHead(200).write("be")
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const cancel = new AbortController()
  const late = patientFetch(`${url}/late`, {signal: cancel.signal})
  const begun = (await patientFetch(url, {signal: cancel.signal})).text()
  cancel.abort(new Error("no longer"))
  for (const {status} of await Promise.allSettled([late, begun])) expect(status).toBe("rejected")
})
