import {symlinkSync} from "node:fs"
import {describe, expect, onTestFinished, test} from "vitest"
import {startBot} from "../../../../server/testing/testing.ts"
import {definePlugin} from "../../../../shared/sdk/sdk.ts"
import {
  expectProblem,
  failureOf,
  makeProject,
  pluginWith,
  startHost,
  type TestHost,
} from "../../../support/host/host.ts"
import {bunAnd} from "../../../support/host/runtimes.ts"
import {closing, raw} from "../../../support/http/raw.ts"

const site = pluginWith(`
    plugin.page("/app", {folder: "pages/app"})
    plugin.page("/app/live", () => new Response("live"))
    plugin.page("/app/deep", {folder: "pages/deep"})
    plugin.page("/closed", {folder: "pages/app"})`)

const config = "http: {port: 0}\nplugins:\n  sandbox: {}\n  site: {pages: [/app, /app/live, /app/deep]}\n"

const files = {
  "pages/app/index.html": "<p>hello",
  "pages/app/app.js": "0123456789",
  "pages/app/a b/ä@2x.css": "p {}",
  "pages/app/sub/index.html": "<p>sub",
  "pages/app/live": "covered by a page",
  "pages/app/deep/x.txt": "covered by a folder",
  "pages/app/.env": "SECRET=1",
  "pages/app/.hidden/x.txt": "hidden",
  "pages/app-not/x.txt": "another folder",
  "pages/deep/y": "deep",
}

const open = (host: TestHost, path: string, init: RequestInit = {}) =>
  fetch(`${host.url}/pages/site${path}`, {redirect: "manual", ...init})

describe.each(bunAnd("node24"))("the folder of a page on $name", runtime => {
  test("is served by exact path, with its types, in the sandbox of pages", async () => {
    const host = await startHost({runtime, config, files, plugins: {site}})
    const page = await open(host, "/app/")
    expect(await page.text()).toBe("<p>hello")
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html;charset=UTF-8",
      "content-security-policy": "sandbox allow-forms allow-scripts; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    })
    const textOf = async (path: string) => (await open(host, path)).text()
    expect(await textOf("/app/sub/")).toBe("<p>sub")
    expect(await textOf("/app/a%20b/%C3%A4@2x.css")).toBe("p {}")
    expect([await textOf("/app/live"), await textOf("/app/deep/y")]).toEqual(["live", "deep"])
    expect((await open(host, "/app/app.js")).headers.get("content-type")).toBe("text/javascript;charset=UTF-8")
    expect((await open(host, "/app/deep/y")).headers.get("content-type")).toBe("application/octet-stream")
    for (const [path, location] of [
      ["/app?q=1", "./app/?q=1"],
      ["/app/sub", "./sub/"],
    ] as const) {
      const moved = await open(host, path)
      expect([moved.status, moved.headers.get("location")]).toEqual([308, location])
    }
    const missing = `/app/none /app/.env /app/.hidden/x.txt /app/deep/x.txt /app/INDEX.HTML /app//app.js /closed/app.js
      /app-not/x.txt /app/constructor
      /app/deep/`
    for (const path of missing.split(/\s+/)) await expectProblem(await open(host, path), 404, "not_found")
    for (const path of [
      "/app/../../../svc.config.yml",
      "/app/%2e%2e/%2e%2e/svc.config.yml",
      "/app/..%2f..%2fsvc.config.yml",
      "/app/%00",
      "/app/%ff",
    ])
      expect(await raw(host, closing(`GET /pages/site${path}`)), path).toMatch(/^HTTP\/1\.1 40[04] /)
    await expectProblem(await open(host, "/app/app.js", {method: "POST", body: "x"}), 405, "method_not_allowed")
  })

  test("answers HEAD, a known tag and a range", async () => {
    const host = await startHost({runtime, config, files, plugins: {site}})
    const head = await open(host, "/app/app.js", {method: "HEAD"})
    expect([head.status, await head.text()]).toEqual([200, ""])
    const etag = head.headers.get("etag") ?? ""
    expect((await open(host, "/app/app.js", {headers: {"if-none-match": `W/${etag}, "x"`}})).status).toBe(304)
    const ranged = async (range: string, more = {}) => {
      const answer = await open(host, "/app/app.js", {headers: {range, ...more}})
      return [answer.status, answer.headers.get("content-range"), await answer.text()]
    }
    const whole = [200, null, "0123456789"]
    expect(await ranged("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"])
    expect(await ranged("bytes=7-99", {"if-range": etag})).toEqual([206, "bytes 7-9/10", "789"])
    expect(await ranged("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"])
    expect(await ranged("bytes=8-")).toEqual([206, "bytes 8-9/10", "89"])
    expect((await ranged("bytes=10-")).slice(0, 2)).toEqual([416, "bytes */10"])
    for (const other of ["bytes=4-2", "bytes=0-1,3-4", "bytes=-", "lines=1-2"])
      expect(await ranged(other), other).toEqual(whole)
    expect(await ranged("bytes=2-4", {"if-range": '"old"'})).toEqual(whole)
  })

  test("changes with a generation only, and refuses one with a link, or without the folder", async () => {
    const project = makeProject({config, files, plugins: {site}})
    const host = await startHost({runtime, project})
    project.write("pages/app/index.html", "<p>new")
    expect(await (await open(host, "/app/")).text()).toBe("<p>hello")
    await host.post("/api/system/reload")
    expect(await (await open(host, "/app/")).text()).toBe("<p>new")

    symlinkSync(project.path("svc.config.yml"), project.path("pages/app/link.txt"))
    await expect(host.post("/api/system/reload")).rejects.toThrow()
    expect((await failureOf(host)).issues).toEqual([expect.stringMatching(/ page\("\/app"\): .*link\.txt /)])
    for (const folder of ["pages/gone", "..", ".", "/etc"]) {
      project.write("plugins/site.ts", site.replace("pages/app", folder))
      await expect(host.post("/api/system/reload"), folder).rejects.toThrow()
    }
    expect(await (await open(host, "/app/")).text()).toBe("<p>new")
  })
})

test("the folder of a page is below the folder where a plugin's test runs", async () => {
  const site = definePlugin({setup: plugin => plugin.page("/x", {folder: "docs/images"})})
  const bot = await startBot({plugins: {site: {plugin: site, pages: ["/x"]}}})
  onTestFinished(() => bot.close())
  const picture = await fetch(`${bot.url}/pages/site/x/message.svg`)
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/svg+xml"])
})
