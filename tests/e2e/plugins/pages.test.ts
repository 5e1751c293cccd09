import type {Page} from "playwright-core"
import {expect, onTestFinished, test} from "vitest"
import {pluginWith, startHost, until} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"

const page = `<!doctype html><link rel="stylesheet" href="style.css"><p id="said">plain</p>
  <script src="app.js"></script><script type="module" src="module.js"></script>`

const forms = `<!doctype html><a id="link" href="shown">link</a>
  <form action="shown"><button id="get">get</button></form>
  <form action="shown" method="post"><button id="post">post</button></form>
  <script>try { document.title = document.cookie || "none" } catch (error) { document.title = error.name }</script>`

const files = {
  "pages/app/index.html": page,
  "pages/app/style.css": "p { color: rgb(1, 2, 3) }",
  "pages/app/app.js": `document.getElementById("said").textContent = "by script"`,
  "pages/app/module.js": `document.title = "by module"`,
}

const site = pluginWith(`
    const html = (text: string, headers = {}) => new Response(text, {headers: {"content-type": "text/html", ...headers}})
    plugin.page("/app", {folder: "pages/app"})
    plugin.page("/forms", () => html(${JSON.stringify(forms)}, {"set-cookie": "visit=1; Max-Age=60"}))
    plugin.page("/shown", request => html("<p id=said>" + (request.headers.get("cookie") ?? "none")))`)

const other = site.replaceAll("visit=1", "visit=2")

const config = `http: {port: 0}
plugins:
  sandbox: {}
  site: {pages: [/app, /forms, /shown]}
  other: {pages: [/shown, /forms]}
`

const said = (browser: Page) => browser.locator("#said").textContent()

const open = async () => {
  const host = await startHost({config, files, plugins: {site, other}})
  const context = await (await startChromium()).newContext()
  onTestFinished(() => context.close())
  return {host, browser: await context.newPage(), at: (path: string) => `${host.url}/pages/${path}`}
}

describeWithChromium("pages in a browser", () => {
  test("a folder's page has its style and its script, and shows a change of its files", async () => {
    const {host, browser, at} = await open()
    await browser.goto(at("site/app"))
    expect(browser.url()).toBe(at("site/app/"))
    expect(await said(browser)).toBe("by script")
    const color = "getComputedStyle(document.getElementById('said')).color"
    expect(await browser.evaluate(color)).toBe("rgb(1, 2, 3)")
    // A module needs CORS, and the origin of the sandbox is opaque.
    expect(await browser.title()).toBe("")
    host.project.write("pages/app/app.js", `document.getElementById("said").textContent = "changed"`)
    await until("the change to be served", async () => {
      await browser.reload()
      return (await said(browser)) === "changed"
    })
  })

  test("a plugin's cookie comes back with links, GET forms and from other sites, to its own pages only", async () => {
    const {host, browser, at} = await open()
    const shownBy = async (act: string) => {
      await browser.goto(at("site/forms"))
      expect(await browser.title()).toBe("SecurityError")
      await browser.click(act)
      await browser.waitForURL(/shown/)
      return said(browser)
    }
    expect(await shownBy("#link")).toBe("visit=1")
    expect(await shownBy("#get")).toBe("visit=1")
    expect(await shownBy("#post")).toBe("none")
    // `localhost` is another site than 127.0.0.1.
    const elsewhere = host.url.replace("127.0.0.1", "localhost")
    await browser.goto(`${elsewhere}/pages/site/shown`)
    expect(await said(browser)).toBe("none")
    await Promise.all([browser.waitForURL(at("site/shown")), browser.evaluate(`location.href = "${at("site/shown")}"`)])
    expect(await said(browser)).toBe("visit=1")
    await browser.goto(at("other/shown"))
    expect(await said(browser)).toBe("none")
    await browser.goto(at("other/forms"))
    await browser.goto(at("other/shown"))
    expect(await said(browser)).toBe("visit=2")
    const asked = browser.waitForRequest(/\/console\/$/)
    await browser.goto(`${host.url}/console/`)
    expect((await (await asked).allHeaders()).cookie).toBeUndefined()
  })
})
