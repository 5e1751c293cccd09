import {get, request} from "node:https"
import {describe, expect, onTestFinished, test} from "vitest"
import {bunAnd, freePort, onBun, type TestHost, until} from "../support/host/host.ts"
import {makeCertificate} from "./support/certificate.ts"
import {hookPath, startHostBehind, tick} from "./support/gateway-host.ts"
import {forAll, fromEach, type Gateway, gatewayPrograms, startGateways, through} from "./support/gateways.ts"
import {describePart, linux, program} from "./support/part.ts"
import {openStream} from "./support/stream.ts"

/** Opens the stream and never reads it. */
const stall = (host: TestHost, {url}: Gateway) =>
  new Promise<void>((resolve, reject) => {
    const asked = get(`${url}/api/events`, {headers: {authorization: `Bearer ${host.token}`}, agent: false}, answer => {
      answer.pause()
      resolve()
    })
    asked.on("error", reject)
    onTestFinished(() => void asked.destroy())
  })

/** Starts a webhook and never ends it. */
const dawdle = ({url}: Gateway) => {
  const headers = {"content-length": "100000"}
  const asked = request(`${url}${hookPath}`, {method: "POST", headers, agent: false})
  asked.on("error", () => {})
  asked.write("a".repeat(1000))
  onTestFinished(() => void asked.destroy())
}

const crowd = Array.from({length: 5}, (_, index) => index)

describePart("gateways when something is slow or offline", [linux, program("openssl"), ...gatewayPrograms], () => {
  describe.each(bunAnd("node24"))("in front of a Host on $name", runtime => {
    test("slow clients block nobody: others get every event and their answers", async () => {
      const host = await startHostBehind(runtime)
      const gateways = await startGateways(host, makeCertificate())
      for (const gateway of gateways) {
        await Promise.all(crowd.map(() => stall(host, gateway)))
        for (const _ of crowd) dawdle(gateway)
      }
      const readers = await fromEach(gateways, ({url}) => openStream(url, {token: host.token, version: 1}))
      await tick(host, 1000)
      for (const [name, reader] of Object.entries(readers)) {
        const count = () => reader.arrived.filter(({event}) => event === "message.received").length
        await until(`all events to come through ${name}`, () => count() === 1000)
      }
      const statuses = await fromEach(gateways, async gateway => {
        return (await through(host, gateway).fetch("/api/system/status")).status
      })
      expect(statuses).toEqual(forAll(200))
    })
  })

  test("a stream requested during a restart waits for the Host; nginx answers that it is offline", async () => {
    const port = await freePort()
    const host = await startHostBehind(onBun, port)
    const gateways = await startGateways(host, makeCertificate())
    await host.stop()
    const ask = async ({url}: Gateway) => (await openStream(url, {token: host.token, version: 1})).status
    const isNginx = ({name}: Gateway) => name === "nginx"
    // nginx does not wait, so it has to answer while the Host is offline.
    expect(await fromEach(gateways.filter(isNginx), ask)).toEqual({nginx: 502})
    const others = gateways.filter(gateway => !isNginx(gateway))
    const asked = fromEach(others, ask)
    await startHostBehind(onBun, port)
    expect(await asked).toEqual({caddy: 200, haproxy: 200})
    for (const gateway of gateways)
      await until(`${gateway.name} to be back`, async () => (await through(host, gateway).fetch("/pub/ready")).ok)
  })

  test("an idle stream gets its heartbeats, over HTTP/1.1 and HTTP/2", async () => {
    const host = await startHostBehind(onBun)
    const gateways = await startGateways(host, makeCertificate())
    const streams = await Promise.all(
      gateways.flatMap(({url}) => ([1, 2] as const).map(version => openStream(url, {token: host.token, version}))),
    )
    await until("a heartbeat on each", () => streams.every(({beats}) => beats() > 0), 28_000)
  })
})
