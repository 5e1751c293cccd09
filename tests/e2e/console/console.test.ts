import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {bunOr, freePort, makeProject, pluginWith, startHost, until} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, goTo, live, openConsole, token, untilHeadingFocused} from "./console.ts"

const configOf = (http: string) =>
  `http: {token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}", ${http}}\nplugins: {sandbox: {}, moody: {}}\nmessages: {failure: ""}\n`

/** Answers messages; throws on `fail`, until the project has the file `calm`. */
const moody = pluginWith(`
    plugin.on("message-created", {name: "answer"}, async session => {
      if (session.text === "fail" && !existsSync(plugin.project + "/calm")) throw new Error("in a bad mood")
      await session.send("heard " + session.text)
    })`)

const plugins = {moody}
const runtimes = bunOr("node22")

describeWithChromium("the console in Chromium", () => {
  test.each(runtimes)(
    "a link signs in and leaves no token in the address; signing out deletes it, on $name",
    async runtime => {
      const host = await startHost({runtime, config: configOf("port: 0, base: /bot"), env, plugins})
      const {page, url} = await openConsole(await startChromium(), host, {token})
      expect(page.url()).toBe(`${url}/console/#/`)
      expect(await page.evaluate(() => [JSON.stringify(localStorage), document.cookie])).toEqual([
        expect.not.stringContaining(token),
        "",
      ])
      await page.reload()
      await live(page)
      await page.getByRole("button", {name: "Sign out"}).click()
      await page.getByLabel("Token").waitFor()
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    },
  )

  test("a wrong token is rejected; the keyboard alone signs in, opens a page and cancels a question", async () => {
    const host = await startHost({config: configOf("port: 0"), env, plugins})
    await host.say("fail")
    const {page} = await openConsole(await startChromium(), host)
    await page.locator("input[name=token]:focus").waitFor()
    await expectNoBarriers(page, "sign-in")
    await page.keyboard.type("wrong")
    await page.keyboard.press("Enter")
    await page.getByText(en.failures.wrongToken).waitFor()
    await page.getByLabel("Token").fill("")
    await page.keyboard.type(token)
    await page.keyboard.press("Enter")
    await live(page)
    const focus = async (name: string) => {
      const text = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "")
      for (let count = 0; count < 200 && (await text()) !== name; count++) await page.keyboard.press("Tab")
      expect(await text()).toBe(name)
    }
    await focus("Inbox")
    await page.keyboard.press("Enter")
    await untilHeadingFocused(page, "h1", "Inbox")
    await goTo(page, "inbox/1")
    await page.getByText("in a bad mood").first().waitFor()
    await focus("Discard")
    await page.keyboard.press("Enter")
    const question = page.getByRole("alertdialog")
    await question.waitFor()
    await expectNoBarriers(page, "a question")
    await page.keyboard.press("Escape")
    await question.waitFor({state: "hidden"})
    await until("the button to have the focus again", () =>
      page.evaluate(() => document.activeElement?.textContent?.trim() === "Discard"),
    )
  })

  test("the demo token only observes: the console shows no actions and no private data", async () => {
    const host = await startHost({config: configOf("port: 0"), env, plugins})
    await host.say("fail")
    const {page} = await openConsole(await startChromium(), host, {token: env.DEMO_TOKEN})
    await page.getByText("Demo: observing only").waitFor()
    await page.locator("[data-verdict]").waitFor()
    await page.getByText(en.overview.readinessDemo).waitFor()
    await goTo(page, "inbox/1")
    await page.getByRole("heading", {name: "Inbox event 1"}).waitFor()
    await page.locator("[data-seq]").waitFor()
    await expectNoBarriers(page, "inbox for a demo token")
    expect(await page.getByRole("button").allTextContents()).toEqual(["Go to …", "Sign out", "Filters"])
    expect(await page.locator("main").textContent()).not.toContain("bad mood")
    await goTo(page, "events")
    await page.locator('[data-event="message.failed"]').waitFor()
    expect(await page.getByRole("tab").count()).toBe(0)
  })

  test.each(runtimes)("the overview leads to an unanswered message and its retry, on $name", async runtime => {
    const host = await startHost({runtime, config: configOf("port: 0"), env, plugins})
    const {page} = await openConsole(await startChromium(), host, {token})
    await page.locator('[data-count="received"]', {hasText: /^0$/}).waitFor()
    await host.say("fail")
    // The event stream updates the page, without a reload.
    await page.locator('[data-count="received"]', {hasText: /^1$/}).waitFor()
    await page.getByRole("link", {name: `${en.attention.show}: ${en.attention.inboxAside(1)}`}).click()
    await page.locator('[data-seq="1"]').click()
    await page.getByText("in a bad mood").first().waitFor()
    host.project.write("calm", "")
    await page.getByRole("button", {name: "Retry", exact: true}).click()
    await page.getByRole("alertdialog").getByText("run again").waitFor()
    await page.getByRole("alertdialog").getByRole("button", {name: "Retry"}).click()
    await page.locator('[data-notice="done"] [data-notice-event="message.handled"]').waitFor()
    const trail = page.getByRole("list", {name: "What happened"})
    await trail.getByText("message.sent", {exact: true}).waitFor()
    expect(await trail.locator("strong").allTextContents()).toEqual([
      "received",
      "log error",
      "message.failed",
      "attempt 2 starts",
      "message to sandbox chat",
      "message.handled",
      "message.sent",
    ])
    await trail.getByRole("link", {name: /^[0-9a-f-]{36}/}).click()
    await page.getByText("heard fail").first().waitFor()
    await page.getByText("Answers inbox event 1").waitFor()
  })

  test("the page waits for a killed Host and continues without a reload after its restart", async () => {
    const port = await freePort()
    const project = makeProject({config: configOf(`port: ${port}`), plugins})
    const first = await startHost({own: true, project, env})
    const {page} = await openConsole(await startChromium(), first, {token})
    await page.evaluate(() => Object.assign(window, {isTheSamePage: true}))
    await page.getByText(first.runtimeId).waitFor()
    await page.locator('[data-verdict="warn"], [data-verdict="good"]').waitFor()
    // The cache has the console's own files only.
    await page.evaluate(() => navigator.serviceWorker.ready)
    await first.stop("SIGKILL")
    await page.locator('[data-connection="away"]').waitFor()
    await page.locator('[data-verdict="bad"]', {hasText: /No answer since \d/}).waitFor()
    await expectNoBarriers(page, "a Host that is down")
    await goTo(page, "operations")
    await page.getByRole("button", {name: en.operations.ask}).click()
    await page
      .getByText(/it said at .*Z:/)
      .first()
      .waitFor()
    await page.getByText(`runtimeId ${first.runtimeId}`).waitFor()
    await goTo(page, "")
    const reloaded = await page.context().newPage()
    await reloaded.goto(page.url())
    await reloaded.getByLabel("Token").waitFor()
    await reloaded.close()
    const kept = await page.evaluate(async () => {
      const requests = await Promise.all((await caches.keys()).map(async name => (await caches.open(name)).keys()))
      return requests.flat().map(({url}) => new URL(url).pathname)
    })
    expect(kept.length).toBeGreaterThan(10)
    expect(kept.filter(path => !path.startsWith("/console/"))).toEqual([])
    const second = await startHost({own: true, project, env})
    await live(page)
    await page.getByText(second.runtimeId).waitFor()
    await page.getByText(en.attention.unclean).waitFor()
    expect(await page.locator("[data-gap]").count()).toBe(0)
    expect(await page.evaluate(() => "isTheSamePage" in window)).toBe(true)
  })

  test("the page shows missing events as a gap and reloads its lists", async () => {
    const port = await freePort()
    const config = configOf(`port: ${port}`)
    const first = await startHost({config, plugins, env})
    await first.say("of the first history")
    const {page} = await openConsole(await startChromium(), first, {token, at: "inbox"})
    await page.getByText("of the first history").waitFor()
    await first.stop()
    // Another project at the same address has another history, as after a restore.
    const second = await startHost({config, plugins, env})
    await second.say("of the second history")
    await page.locator('[data-gap="epoch_changed"]').waitFor()
    await page.getByText("of the second history").waitFor()
    expect(await page.getByText("of the first history").count()).toBe(0)
    await goTo(page, "events")
    await page.getByText(`${en.gap.title}: From`).waitFor()
    await expectNoBarriers(page, "a gap")
    await page.getByRole("button", {name: "Got it"}).click()
    await until("the gap to be gone", async () => (await page.locator("[data-gap]").count()) === 0)
  })

  test("the console switches to another Host if both allow it; otherwise it says which does not", async () => {
    const [here, there] = [await freePort(), await freePort()]
    const remote = await startHost({
      config: configOf(`port: ${there}, corsOrigins: ["http://127.0.0.1:${here}"]`),
      env,
      plugins,
    })
    const closed = await startHost({config: configOf("port: 0"), env, plugins})
    const host = await startHost({
      config: configOf(`port: ${here}, consoleHosts: ["${remote.url}", "${closed.url}"]`),
      env,
      plugins,
    })
    const stranger = await startHost({config: configOf("port: 0"), env, plugins})
    const provoked = /Content Security Policy|CORS policy/
    const {page} = await openConsole(await startChromium(), host, {token, direct: true, provoked})
    const add = async (url: string) => {
      await page.getByLabel(en.signIn.address).fill(url)
      await page.getByLabel("Token", {exact: true}).fill(token)
      await page.getByRole("button", {name: "Sign in"}).click()
    }
    await page.getByLabel("Host", {exact: true}).selectOption("")
    await page.getByText("Another Host").click()
    await add(stranger.url)
    await page.getByRole("alert").getByText("http.consoleHosts").waitFor()
    await add(closed.url)
    await page.getByRole("alert").getByText("http.corsOrigins").waitFor()
    await add(remote.url)
    await page.getByText(remote.runtimeId).waitFor()
    await live(page)
    await page.getByLabel("Host", {exact: true}).selectOption(host.url)
    await page.getByText(host.runtimeId).waitFor()
  })
})
