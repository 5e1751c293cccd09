import {cpSync, readdirSync, readFileSync, rmSync} from "node:fs"
import {expect, test} from "vitest"
import {en} from "../../../../server/console/web/texts/en.ts"
import {bunOr, makeCheckpoint, makeFolder, pluginWith, printed, startHost} from "../../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../../support/machine/chromium.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, goTo, openConsole, token} from "../console.ts"

/** For the CLI, which does not have the Host's environment. */
const files = {
  ".env": Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(""),
}
const config = `http:
  port: 0
  token: "\${HTTP_TOKEN}"
  demoToken: "\${DEMO_TOKEN}"
permissions:
  - endpoint: sandbox
    user: ada
    permission: admin
plugins:
  bot: {}
  sandbox: {}
`
const bot = pluginWith(`plugin.command("deploy", {permission: "admin"}, () => "deployed")`)

describeWithChromium("what the console uploads and edits", () => {
  test.each(bunOr("node24"))(
    "a checkpoint is uploaded, another file is rejected, and a user's permission is explained, on $name",
    async runtime => {
      const host = await startHost({runtime, config, env, files, plugins: {bot}})
      const {project} = host
      const {id} = await makeCheckpoint(project, runtime)
      const archive = project.path("bot.tar.gz")
      await printed(project, ["checkpoint", "export", id, "--output", archive], runtime)
      for (const name of readdirSync(project.path(".svc/checkpoints")))
        rmSync(project.path(".svc/checkpoints", name), {recursive: true})
      const broken = `${makeFolder()}/broken.tar`
      cpSync(project.path("svc.config.yml"), broken)

      const viewport = {width: 360, height: 800}
      const {page} = await openConsole(await startChromium(), host, {token, at: "operations", viewport})
      await page.getByText("Upload a checkpoint", {exact: true}).click()
      const file = page.getByLabel("An archive")
      await file.setInputFiles(broken)
      await page.getByRole("button", {name: "Upload", exact: true}).click()
      await page
        .locator('[data-upload="failed"]')
        .getByText(/\bvalid checkpoint\b/)
        .waitFor()
      await file.setInputFiles(archive)
      await page.getByRole("button", {name: "Upload", exact: true}).click()
      await page.locator('[data-upload="sent"]').getByText(en.operations.uploadStored(id)).waitFor()
      const listed = page.locator('[data-checkpoint="verified"]')
      await listed.getByText("uploaded", {exact: true}).waitFor()
      await listed.getByText(`svc checkpoint restore ${id}`).waitFor()
      await expectNoBarriers(page, "an uploaded checkpoint")
      await expectNoSidewaysScroll(page, "an uploaded checkpoint")

      // On the same Host: a user's permission, and the rule that decides.
      await goTo(page, "permissions")
      const ask = async (user: string) => {
        await page.getByLabel(en.permissions.user).fill(user)
        await page.getByRole("button", {name: "Show", exact: true}).click()
      }
      await ask("ada")
      await page.locator('[data-permission="admin"]').getByText("Rule 1 decides").waitFor()
      const deploy = page.locator('[data-use="deploy"]').first()
      await deploy.getByText("allowed").waitFor()
      await expectNoBarriers(page, "the permissions of a user")
      await expectNoSidewaysScroll(page, "the permissions of a user")
      await ask("bob")
      await page.locator('[data-permission="user"]').getByText("No rule matches").waitFor()
      await deploy.getByText("denied").waitFor()
    },
  )

  test.each(bunOr("node24"))(
    "svc.config.yml is edited with completion and findings; a conflict loses no text, on $name",
    async runtime => {
      const host = await startHost({runtime, config, env, files, plugins: {bot}, args: ["--no-watch"]})
      const {project} = host
      const viewport = {width: 360, height: 800}
      const options = {token, at: "config", viewport, colorScheme: "dark"} as const
      const {page} = await openConsole(await startChromium(), host, options)
      const text = page.getByRole("textbox", {name: "Text of svc.config.yml"})
      const findings = (count: number) => page.locator(`[data-findings="${count}"]`).waitFor()
      const press = async (...keys: readonly string[]) => {
        for (const key of keys) await page.keyboard.press(key)
      }
      await text.click()
      await findings(0)

      // Completion from the schema, with the keyboard only.
      await press("Control+End")
      await page.keyboard.type("log_le")
      await page.getByRole("option", {name: /^log_level/}).waitFor()
      // CodeMirror ignores Enter in the first 75 ms of a list (interactionDelay), and would begin a new line.
      await page.waitForTimeout(150)
      await press("Enter", "Control+Space")
      await page.getByRole("option", {name: "debug"}).waitFor()
      await page.keyboard.type("debug")
      await press("Escape")
      await findings(0)

      // A finding appears at its place, and undo removes it.
      await press("Enter")
      await page.keyboard.type("colour: red")
      await press("Escape")
      await findings(1)
      await page.locator(".cm-lintRange-error").first().waitFor()
      await page.getByRole("button", {name: "13:1"}).waitFor()
      await expectNoBarriers(page, "the editor with a finding")
      await expectNoSidewaysScroll(page, "the editor with a finding")
      await page.getByRole("button", {name: "13:1"}).click()
      await press("Shift+Control+End", "Delete", "Backspace")
      await findings(0)
      // Tab leaves the editor.
      await press("Tab")
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(en.config.compare)

      // If something else changes the file, the text stays.
      const other = config.replace("  bot: {}\n", "  # kept\n  bot: {}\n")
      project.write("svc.config.yml", other)
      await press("Enter")
      await page.getByText(en.config.changed).waitFor()
      await page.getByRole("button", {name: en.config.keepMine}).click()
      const diff = page.locator("[data-compared] [data-diff]")
      await diff.getByText("+log_level: debug").waitFor()
      await diff.getByText("-  # kept").waitFor()
      await page.setViewportSize({width: 1440, height: 900})
      await expectNoBarriers(page, "the comparison")
      await page.getByRole("button", {name: "Apply", exact: true}).click()
      await page.getByRole("alertdialog").getByRole("button", {name: "Apply", exact: true}).click()
      await page.locator('[data-notice="done"]').getByText("Applied: generation 2 is running.").waitFor()
      expect(readFileSync(project.path("svc.config.yml"), "utf8").trimEnd()).toBe(`${config}log_level: debug`)
      expect(await host.get("/api/system/status")).toMatchObject({generation: {number: 2}})
    },
  )
})
