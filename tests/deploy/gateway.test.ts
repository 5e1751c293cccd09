import {hash, randomBytes} from "node:crypto"
import {appendFileSync} from "node:fs"
import {request as plainRequest} from "node:http"
import {gzipSync} from "node:zlib"
import {describe, expect, test} from "vitest"
import {documentedCommands} from "../support/docs/documented-commands.ts"
import {bunAnd, onBun, runProcess, type TestRuntime, until} from "../support/host/host.ts"
import {metricsOf} from "../support/metrics/metrics.ts"
import {connectSatori} from "../support/satori/satori.ts"
import {signedHeaders} from "../support/webhooks/webhooks.ts"
import {ask, upgradeHeaders} from "./support/ask.ts"
import {makeCertificate} from "./support/certificate.ts"
import {hookPath, secrets, signedPath, startHostBehind, tick} from "./support/gateway-host.ts"
import {
  forAll,
  fromEach,
  type Gateway,
  gatewayNames,
  gatewayPrograms,
  startGateways,
  through,
} from "./support/gateways.ts"
import {describePart, linux, program} from "./support/part.ts"
import {type GatewayStream, openStream} from "./support/stream.ts"

const page = "docs/deploy/gateway.md"

const start = async (runtime: TestRuntime) => {
  const host = await startHostBehind(runtime)
  const certificate = makeCertificate()
  const gateways = await startGateways(host, certificate)
  return {host, gateways, certificate, token: {authorization: `Bearer ${host.token}`}}
}

const ticksOf = ({arrived}: GatewayStream) => arrived.filter(({event}) => event === "message.received")

describePart("gateways", [linux, program("openssl"), ...gatewayPrograms], () => {
  test("the page's commands accept each configuration, and reject a damaged one", async () => {
    const {gateways} = await start(onBun)
    const commands = checks(gateways)
    expect(commands.map(command => command.split(" ")[0])).toEqual(gatewayNames)
    const run = (command: string) => runProcess(["/bin/sh", "-c", `PATH=$PATH:/usr/sbin ${command}`])
    for (const command of commands) expect(await run(command)).toMatchObject({code: 0})
    for (const {file} of gateways) appendFileSync(file, "}\n")
    for (const command of commands) expect((await run(command)).code).not.toBe(0)
  })

  describe.each(bunAnd("node22"))("in front of a Host on $name", runtime => {
    test("path, query, Authorization and body of a request arrive byte for byte, in any encoding", async () => {
      const {gateways} = await start(runtime)
      const binary = randomBytes(300_000)
      const bodies = [binary, gzipSync(binary), Buffer.from('{"a" :1.0,\r\n "é":"\\u00e9"}\n\0')]
      const sent = bodies.flatMap(body => [true, false].map(isChunked => ({body, isChunked})))
      const arrived = await fromEach(gateways, gateway =>
        Promise.all(
          sent.map(async ({body, isChunked}) => {
            const headers = {"content-encoding": "identity", authorization: "Bearer of+the/platform's=own=="}
            const path = `${hookPath}?sig=a+b%20c&d=%7e&e=%2F`
            const {status, text} = await ask(`${gateway.url}${path}`, {method: "POST", headers, body, isChunked})
            const {query, authorization, encoding, body: base64} = JSON.parse(text)
            return {status, query, authorization, encoding, hash: hash("sha256", Buffer.from(base64, "base64"))}
          }),
        ),
      )
      expect(arrived).toEqual(
        forAll(
          sent.map(({body}) => ({
            status: 201,
            query: "?sig=a+b%20c&d=%7e&e=%2F",
            authorization: "Bearer of+the/platform's=own==",
            encoding: "identity",
            hash: hash("sha256", body),
          })),
        ),
      )
    })

    test("the page's live check finds the Host ready through each gateway", async () => {
      const {host, gateways, certificate} = await start(runtime)
      const [check = ""] = documentedCommands(page).filter(line => line.includes("--live"))
      const answers = await fromEach(gateways, async ({url}) => {
        const typed = check.replace("...", host.token).replace("https://bot.example.org", url)
        const line = typed.replace("svc", runtime.command.join(" "))
        const env = {NODE_EXTRA_CA_CERTS: certificate.certificate}
        const {code, stdout} = await runProcess(["sh", "-c", line], {cwd: host.project.folder, env})
        return {code, ok: JSON.parse(stdout).ok}
      })
      expect(answers).toEqual(forAll({code: 0, ok: true}))
    })

    test("a signed webhook is accepted as signed, and refused with one byte changed", async () => {
      const {gateways} = await start(runtime)
      const body = Buffer.from('{"text" :"caf\\u00e9",\r\n"channel": "é"}\n')
      const answers = await fromEach(gateways, async ({name, url}) => {
        const headers = signedHeaders(body, {id: `msg_${name}`, secret: secrets.SHOP_SECRET})
        const post = (bytes: Uint8Array, isChunked: boolean) =>
          ask(`${url}${signedPath}`, {method: "POST", headers, body: bytes, isChunked})
        const changed = Buffer.from(body.toString().replace(" ", ""))
        return [(await post(body, true)).status, (await post(body, false)).status, (await post(changed, false)).status]
      })
      expect(answers).toEqual(forAll([202, 202, 403]))
    })

    test("events arrive one by one as they happen, uncached, and resume by Last-Event-ID", async () => {
      const {host, gateways} = await start(runtime)
      for (const {name, url} of gateways) {
        const figures: string[] = []
        for (const version of [1, 2] as const) {
          const stream = await openStream(url, {token: host.token, version})
          expect(stream.headers, name).toMatchObject({
            "content-type": expect.stringContaining("text/event-stream"),
            "cache-control": "no-store, no-transform",
          })
          expect(stream.headers, name).not.toHaveProperty("content-encoding")
          for (let count = 1; count <= 5; count++) {
            await tick(host, 1)
            // The next one is not sent before, so an event that a gateway holds back would never arrive.
            await until(`${name} to pass on event ${count}`, () => ticksOf(stream).length === count, 10_000)
          }
          const delays = ticksOf(stream).map(({arrivedAt, data}) => arrivedAt - Date.parse(data.at ?? ""))
          figures.push(`HTTP/${version} at most ${Math.max(...delays)} ms`)

          const cursor = ticksOf(stream)[1]?.id ?? ""
          const resumed = await openStream(url, {token: host.token, version, cursor})
          await until("the rest", () => ticksOf(resumed).length === 3)
          expect(resumed.arrived[0]?.data.recovered, name).toBe(true)
          expect(ticksOf(resumed).map(({id}) => id)).toEqual(
            ticksOf(stream)
              .slice(2)
              .map(({id}) => id),
          )
          // Nothing comes from an earlier answer: each stream starts at the head of the log.
          expect(resumed.arrived[0]?.data.head, name).not.toBe(stream.arrived[0]?.data.head)
        }
        process.stdout.write(`stream through ${name} to a Host on ${runtime.name}: ${figures.join(", ")}\n`)
      }
    })

    test("a client that leaves the stream also leaves the Host", async () => {
      const {host, gateways} = await start(runtime)
      const clients = async () => (await metricsOf(host)).value("svc_event_stream_clients")
      for (const {name, url} of gateways) {
        for (const version of [1, 2] as const) {
          const stream = await openStream(url, {token: host.token, version})
          await until("the client to be there", async () => (await clients()) === 1)
          stream.close()
          await until(
            `the client to have left through ${name}, HTTP/${version}`,
            async () => (await clients()) === 0,
            10_000,
          )
        }
      }
    })

    test("a WebSocket opens with Authorization, receives events and resumes", async () => {
      const {host, gateways, token} = await start(runtime)
      for (const gateway of gateways) {
        const behind = through(host, gateway)
        const client = await connectSatori(behind, {headers: token, identify: false})
        client.say({op: 3, body: {}})
        await client.hears(4)
        await host.plugin("/api/plugins/sandbox/messages", {text: `hello ${gateway.name}`})
        const [message] = await client.hearsMessages(1)
        expect(message?.message?.content).toBe(`hello ${gateway.name}`)
        client.close()
        const before = (message?.sn ?? 0) - 1
        const resumed = await connectSatori(behind, {identify: {token: host.token, sn: before}})
        expect((await resumed.hearsMessages(1))[0]?.sn).toBe(message?.sn)
        resumed.close()
      }
      const wrong = await fromEach(gateways, async ({url}) => {
        const headers = {...upgradeHeaders, authorization: "Bearer wrong"}
        return (await ask(`${url}/satori/v1/events`, {headers})).status
      })
      expect(wrong).toEqual(forAll(401))
    })

    test("bodies and headers have the Host's limits", async () => {
      const {gateways, token} = await start(runtime)
      const statusOf = async (asked: Promise<{status: number}>) => (await asked).status
      const post = (url: string, size: number, isChunked: boolean) =>
        statusOf(ask(`${url}${hookPath}`, {method: "POST", body: new Uint8Array(size), isChunked}))
      const withHeaders = (url: string, size: number) =>
        statusOf(ask(`${url}/api/system/status`, {headers: {...token, "x-large": "a".repeat(size)}}))
      const mebibyte = 1024 * 1024
      const answers = await fromEach(gateways, async ({url}) => ({
        whole: [await post(url, mebibyte, false), await post(url, mebibyte, true)],
        larger: [await post(url, mebibyte + 1, false), await post(url, mebibyte + 1, true)],
        headers: [await withHeaders(url, 31_000), await withHeaders(url, 36_000), await withHeaders(url, 60_000)],
      }))
      const same = {whole: [201, 201], larger: [413, 413], headers: [200, 431, 431]}
      // HAProxy has no answer for headers that do not fit its buffer.
      expect(answers).toEqual({...forAll(same), haproxy: {...same, headers: [200, 431, 400]}})
    })

    test("the Host counts failures by the client's address, even with a forged header", async () => {
      const {gateways} = await start(runtime)
      const clients: Record<string, readonly [string, string]> = {
        nginx: ["127.0.0.11", "127.0.0.12"],
        caddy: ["127.0.0.13", "127.0.0.14"],
        haproxy: ["127.0.0.15", "127.0.0.16"],
      }
      const answers = await fromEach(gateways, async ({name, url}) => {
        const [one = "", other = ""] = clients[name] ?? []
        const fail = async (from: string, claimed: number) => {
          const address = `192.0.2.${claimed}`
          const headers = {authorization: "Bearer wrong", "x-forwarded-for": address, forwarded: `for=${address}`}
          return (await ask(`${url}/api/system/status`, {from, headers})).status
        }
        const statuses: number[] = []
        for (let count = 0; count < 11; count++) statuses.push(await fail(one, count))
        return {tenth: statuses[9], eleventh: statuses[10], other: await fail(other, 0)}
      })
      expect(answers).toEqual(forAll({tenth: 401, eleventh: 429, other: 401}))
    })

    test("without TLS every request is redirected to TLS", async () => {
      const {gateways, token} = await start(runtime)
      expect(await fromEach(gateways, ({plainUrl}) => plainly(`${plainUrl}/api/system/status?a=b`, token))).toEqual(
        forAll({
          status: expect.toSatisfy(status => status === 301 || status === 308),
          to: "https/api/system/status?a=b",
        }),
      )
    })
  })
})

/** The commands of the page that check a configuration, for these files instead of those in `/etc`. */
const checks = (gateways: readonly Gateway[]): readonly string[] => {
  return documentedCommands(page)
    .filter(line => !line.includes("--live"))
    .map((command, index) => {
      const file = gateways[index]?.file ?? ""
      return command === "nginx -t" ? `${command} -c ${file}` : command.replace(/\/etc\/\S+/, file)
    })
}

/** Resolves to the redirect of a request without TLS: scheme, path and query. */
const plainly = (url: string, headers: Record<string, string>): Promise<{status: number | undefined; to: string}> =>
  new Promise((resolve, reject) => {
    const asked = plainRequest(url, {headers, agent: false}, answer => {
      const {protocol, pathname, search} = new URL(answer.headers.location ?? "none:")
      answer
        .resume()
        .on("end", () => resolve({status: answer.statusCode, to: `${protocol.slice(0, -1)}${pathname}${search}`}))
    })
    asked.on("error", reject).end()
  })
