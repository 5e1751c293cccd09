import {rmSync} from "node:fs"
import {expect, test} from "vitest"
import {startHost} from "../../support/host/host.ts"
import {usuallyOn} from "../../support/host/runtimes.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {awayPlugin} from "../../support/plugins/away-plugin.ts"
import {expectNoBarriers, openConsole} from "./console.ts"

const env = {HTTP_TOKEN: "the-full-token-of-the-console"}

describeWithChromium("an endpoint in the console", () => {
  test("is shown with why it is away, is connected anew, and sends a message", async () => {
    const host = await startHost({
      runtime: usuallyOn("node24"),
      config: 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {sandbox: {}, away: {}}\n',
      env,
      plugins: {away: awayPlugin},
      files: {away: ""},
    })
    const {page, errors} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at: "endpoints"})
    await page.locator('[data-endpoint="away"]').getByText("the platform is away").waitFor()
    await page.getByRole("link", {name: "away", exact: true}).click()
    await page.getByText("Tries again").waitFor()
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
    expect(errors).toEqual([])
  })
})
