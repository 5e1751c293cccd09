import {rmSync} from "node:fs"
import {test} from "vitest"
import {startHost, type TestHost, until, usuallyOn} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {awayPlugin} from "../../support/plugins/away-plugin.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, goTo, openConsole} from "./console.ts"

const stateOf = async (host: TestHost): Promise<string | undefined> => {
  const {items} = await host.get("/api/endpoints")
  return items.find(({name}) => name === "away")?.state
}

describeWithChromium("an endpoint in the console", () => {
  test("shows why it is offline, reconnects, and sends a message", async () => {
    const host = await startHost({
      runtime: usuallyOn("node24"),
      config: 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {sandbox: {}, away: {}}\n',
      env,
      plugins: {away: awayPlugin},
      files: {away: ""},
    })
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at: "endpoints"})
    await page.locator('[data-endpoint="away"]').getByText("the platform is away").waitFor()
    await page.getByRole("link", {name: "away", exact: true}).click()
    await page.getByText("Next retry").waitFor()
    await expectNoBarriers(page, "an endpoint")
    rmSync(host.project.path("away"))
    await page.getByRole("button", {name: "Reconnect"}).click()
    await page.getByRole("alertdialog").getByRole("button", {name: "Reconnect"}).click()
    await page.locator('[data-notice="done"] [data-notice-event="endpoint.state"]').waitFor()
    await page.locator('[data-endpoint="away"]').getByText("online", {exact: true}).waitFor()
    await page.getByRole("button", {name: "Send a message"}).click()
    const question = page.getByRole("alertdialog")
    await question.getByLabel("Channel").fill("#team")
    await question.getByLabel("Text").fill("all is well")
    await question.getByRole("button", {name: "Send a message"}).click()
    await page.locator('[data-notice="done"] [data-notice-event="message.sent"]').waitFor()

    for (let times = 0; times < 3; times++) {
      await host.post("/api/endpoints/:name/reconnect", {name: "away"})
      await until("it to be online", async () => (await stateOf(host)) === "online")
    }
    await page.setViewportSize({width: 360, height: 740})
    await goTo(page, "events")
    const flaps = page.locator('[data-flaps="away"]')
    await flaps.getByText(/^away reconnected \d+ times between/).waitFor()
    await expectNoBarriers(page, "events that are folded")
    await flaps.getByText("Show each one").click()
    await flaps.getByText("away is online.").first().waitFor()
    const sent = page.locator('[data-event="message.sent"]')
    await sent.getByText(/^away sent message/).waitFor()
    await sent.locator("summary").click()
    await sent.locator("pre").getByText('"type": "message.sent"').waitFor()
    await expectNoSidewaysScroll(page, "events")
    await expectNoBarriers(page, "events that are open")
    await sent.getByRole("link", {name: /^message /}).click()
    await page.getByRole("heading", {name: "Outbox message"}).waitFor()
  })
})
