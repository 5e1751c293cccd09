import {writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {freePort, isOk, makeFolder, onBun, startProcess, until} from "../support/host/host.ts"
import {locate} from "../support/machine/tools.ts"
import {ask, upgradeHeaders} from "./support/ask.ts"
import {makeCertificate} from "./support/certificate.ts"
import {startHostBehind, tick} from "./support/gateway-host.ts"
import {nginxAround} from "./support/gateways.ts"
import {describePart, linux, program} from "./support/part.ts"
import {openStream} from "./support/stream.ts"

/** Starts nginx with its defaults and the Host's address; `more` adds lines. */
const startBare = async (hostUrl: string, more = "") => {
  const {certificate, key} = makeCertificate()
  const folder = makeFolder()
  const port = await freePort()
  const site = `server {
  listen 127.0.0.1:${port} ssl;
  ssl_certificate ${certificate};
  ssl_certificate_key ${key};
  location / {
    proxy_pass ${hostUrl};
    ${more}
  }
}
`
  const file = join(folder, "nginx.conf")
  writeFileSync(file, nginxAround(site, folder))
  startProcess([locate("nginx") ?? "nginx", "-c", file], {cwd: folder})
  const url = `https://localhost:${port}`
  await until("nginx to answer", () => isOk(`${url}/pub/health`))
  return {url}
}

/** The negative control: without the template, these problems appear. */
describePart("nginx without the template", [linux, program("openssl"), program("nginx", "nginx-light")], () => {
  test("opens no WebSocket", async () => {
    const gateway = await startBare((await startHostBehind(onBun)).url)
    const {status} = await ask(`${gateway.url}/satori/v1/events`, {headers: upgradeHeaders})
    expect(status).toBeGreaterThanOrEqual(400)
  })

  test("passes on a forged client address, whose sender is then never counted", async () => {
    const {url} = await startBare((await startHostBehind(onBun)).url)
    const statuses: number[] = []
    for (let count = 0; count < 12; count++) {
      const headers = {authorization: "Bearer wrong", "x-forwarded-for": `192.0.2.${count}`}
      statuses.push((await ask(`${url}/api/system/status`, {headers})).status)
    }
    expect(new Set(statuses)).toEqual(new Set([401]))
  })

  test("refuses headers that the Host accepts", async () => {
    const host = await startHostBehind(onBun)
    const {url} = await startBare(host.url)
    const headers = {authorization: `Bearer ${host.token}`, "x-large": "a".repeat(20_000)}
    expect((await host.fetch("/api/system/status", {headers})).status).toBe(200)
    expect((await ask(`${url}/api/system/status`, {headers})).status).toBe(400)
  })

  test("holds events back when it ignores the Host's X-Accel-Buffering", async () => {
    const host = await startHostBehind(onBun)
    const {url} = await startBare(host.url, "proxy_ignore_headers X-Accel-Buffering;")
    const opened = openStream(url, {token: host.token, version: 1})
    const isKept = await Promise.race([
      opened.then(async stream => {
        await tick(host, 1)
        return until("the event", () => stream.arrived.some(({event}) => event === "message.received"), 3000)
      }),
      until("an answer", () => false, 5000),
    ])
      .then(() => false)
      .catch(() => true)
    expect(isKept).toBe(true)
  })
})
