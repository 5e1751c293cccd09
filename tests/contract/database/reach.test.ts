import {createServer} from "node:http"
import {join} from "node:path"
import {expect, onTestFinished, test} from "vitest"
import {isUnreachable} from "../../../server/database/engine/errors.ts"
import {Link} from "../../../server/database/remote/link.ts"
import {whyUnreachable} from "../../../server/database/remote/reach.ts"
import {makeFolder, startHrana} from "../../support/database/databases.ts"
import {listen} from "../../support/machine/listen.ts"
import {freePort} from "../../support/machine/ports.ts"

const {signal} = new AbortController()

/** A gateway that answers every request with this status. Resolves to its host. */
const gateway = async (status: number, type = "text/plain"): Promise<string> => {
  const server = createServer((_, response) => response.writeHead(status, {"content-type": type}).end("<p>"))
  return `127.0.0.1:${await listen(server)}`
}

test("a remote database that answers is reachable, whatever it says about the token", async () => {
  const {url} = await startHrana({file: join(makeFolder(), "remote.sqlite"), token: "a-token-that-is-not-shown"})
  const {host} = new URL(url)
  for (const address of [url, `ws://${host}`, `libsql://${host}?tls=0`])
    expect(await whyUnreachable(address, signal)).toBeUndefined()
  expect(await whyUnreachable(`http://${await gateway(401)}`, signal)).toBeUndefined()
})

test("a gateway without a connection to the database does not count as its answer", async () => {
  for (const status of [502, 503, 504]) {
    const host = await gateway(status)
    expect(await whyUnreachable(`http://${host}`, signal)).toBe(`${host} answers ${status}`)
  }
})

test.each([200, 401, 403, 404])("a proxy's page with status %i is no answer of the database", async status => {
  const host = await gateway(status, "text/html; charset=utf-8")
  expect(await whyUnreachable(`http://${host}`, signal)).toBe(`${host} answers ${status}`)
  const link = new Link({url: `http://${host}`})
  onTestFinished(() => link.close())
  const error = await link.ask(() => link.client({limit: 5000}).execute("SELECT 1")).catch((cause: unknown) => cause)
  expect(isUnreachable(error)).toBe(true)
})

test("an address without a listener or a DNS name is reported with the reason", async () => {
  const host = `127.0.0.1:${await freePort()}`
  expect(await whyUnreachable(`http://${host}`, signal)).toMatch(new RegExp(`^${host} does not answer: .+`))
  expect(await whyUnreachable("libsql://nowhere.invalid", signal)).toMatch(/^nowhere\.invalid does not answer: .+/)
})

test("an invalid address is left to the code that opens it", async () => {
  expect(await whyUnreachable("libsql://", signal)).toBeUndefined()
})

test("a stop ends the check", async () => {
  const server = createServer(() => {})
  const stop = new AbortController()
  const asked = whyUnreachable(`http://127.0.0.1:${await listen(server)}`, stop.signal)
  stop.abort()
  expect(await asked).toContain("does not answer")
})
