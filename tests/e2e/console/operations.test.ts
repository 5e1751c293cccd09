import {join} from "node:path"
import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {makeFolder} from "../../support/database/databases.ts"
import {bunOr, freePort, makeProject, printed, startHost} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, goTo, live, openConsole, token} from "./console.ts"

const configOf = (port: number, level = "info") =>
  `log_level: ${level}\nhttp: {port: ${port}, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}\nplugins: {sandbox: {}}\n`

const runtimes = bunOr("node24")

describeWithChromium("operating a Host from the console", () => {
  test.each(runtimes)("a configuration is reloaded, compared, rolled back and reloaded, on $name", async runtime => {
    const host = await startHost({runtime, config: configOf(0), env, args: ["--no-watch"]})
    const {page} = await openConsole(await startChromium(), host, {token, at: "generations"})
    const act = async (name: string, label = name) => {
      await page.getByRole("button", {name, exact: true}).click()
      const question = page.getByRole("alertdialog")
      await question.getByRole("button", {name: label, exact: true}).click()
      await question.waitFor({state: "hidden"})
    }
    await page.locator('[data-generation="1"]').waitFor()
    host.project.write("svc.config.yml", configOf(0, "debug"))
    await act("Reload the configuration")
    await page.locator('[data-generation="2"]').waitFor()
    await page.getByRole("link", {name: "Changes of generation 2"}).click()
    await page.locator("[data-diff]").getByText("+log_level: debug").waitFor()
    await expectNoBarriers(page, "a comparison")
    await page.getByRole("button", {name: en.generations.rollBackTo(1)}).click()
    const asked = page.getByRole("alertdialog")
    await asked.getByText("-log_level: debug").waitFor()
    await asked.getByText(en.generations.codeStays).waitFor()
    await expectNoBarriers(page, "the question of a rollback")
    await asked.getByRole("button", {name: "Roll back", exact: true}).click()
    await page.locator('[data-notice="done"] [data-notice-event="generation.committed"]').waitFor()
    await page.getByText("Generation 1 is pinned").waitFor()
    expect(await host.get("/api/system/status")).toMatchObject({generation: {number: 3}, pin: {number: 1}})
    host.project.write("svc.config.yml", "log_level: loud\n")
    await act("Unpin")
    await page.locator('[data-notice="failed"]').getByText("log_level").waitFor()
    await page.getByText(en.attention.generation).first().waitFor()
    host.project.write("svc.config.yml", configOf(0, "warn"))
    await act("Unpin")
    await page.locator('[data-generation="4"]').waitFor()
  })

  test.each(runtimes)("a checkpoint is made and verified, the five questions are answered, on $name", async runtime => {
    const host = await startHost({runtime, config: configOf(0), env})
    await host.say("hello")
    const {page} = await openConsole(await startChromium(), host, {token, at: "operations"})
    const question = page.getByRole("alertdialog")
    await page.getByRole("button", {name: "Make a checkpoint"}).click()
    await question.getByRole("button", {name: "Make a checkpoint"}).click()
    await page.locator('[data-notice="done"] [data-notice-event="checkpoint.verified"]').waitFor({timeout: 60_000})
    await page.locator('[data-checkpoint="verified"]').waitFor()
    const download = page.waitForEvent("download")
    await page.getByRole("button", {name: /^Download the manifest/}).click()
    expect((await download).suggestedFilename()).toMatch(/^[0-9]{8}-[0-9]{6}-[0-9a-f]{6}-manifest\.json$/)
    // A test cannot operate the browser's own file picker.
    await page.evaluate("delete window.showSaveFilePicker")
    const whole = page.waitForEvent("download")
    await page.getByRole("button", {name: /^Download [0-9]{8}-/}).click()
    await question.getByRole("button", {name: "Download", exact: true}).click()
    const archive = join(makeFolder(), "bot.tar")
    await (await whole).saveAs(archive)
    await page.locator('[data-notice="done"]').getByText(en.operations.downloaded).waitFor()
    expect(await printed(host.project, ["checkpoint", "verify", archive], runtime)).toContain("can be restored")
    await page.getByRole("button", {name: /^Verify /}).click()
    await question.getByRole("button", {name: "Verify", exact: true}).click()
    // The notice of the first verification may have faded.
    await page
      .locator('[data-notice="done"]', {hasText: /Verify [0-9]{8}-/})
      .locator('[data-notice-event="checkpoint.verified"]')
      .waitFor({timeout: 60_000})

    await page.getByRole("button", {name: en.operations.ask}).click()
    await page.locator("[data-answer]").nth(4).waitFor()
    const answers = () =>
      page.locator("[data-answer]").evaluateAll(all => all.map(each => each.getAttribute("data-answer")))
    expect(await answers()).toEqual(["yes", "yes", "yes", "yes", "yes"])
    await page.getByLabel("Expected version").fill("9.9.9")
    await page.getByRole("button", {name: en.operations.ask}).click()
    await page.locator('[data-answer="no"]').getByText("expected svc 9.9.9").waitFor()
    expect(await answers()).toEqual(["yes", "no", "yes", "yes", "yes"])
    await expectNoBarriers(page, "operations")
  })

  test("pausing ingress raises an alert; a release is begun and aborted", async () => {
    const alerts = `alerts:
  every: 1s
  grace: 0s
  items: {ingress_paused: {for: 0s}}
  targets: {ops: {webhook: {url: http://127.0.0.1:9/}}}
`
    const host = await startHost({config: `${configOf(0)}${alerts}`, env})
    const {page} = await openConsole(await startChromium(), host, {token, at: "operations"})
    const act = async (name: string) => {
      await page.getByRole("button", {name, exact: true}).click()
      await page.getByRole("alertdialog").getByRole("button", {name, exact: true}).click()
    }
    await act("Pause ingress")
    await page.locator('[data-ingress="paused"]').waitFor()
    await page.locator('[data-alert="ingress_paused"]').getByText("svc ingress resume").waitFor()
    await page
      .locator('[data-target="ops"]')
      .getByText(/\bunreachable\b/)
      .waitFor()
    await expectNoBarriers(page, "operations with an alert")
    await goTo(page, "")
    await page.locator('[data-verdict="bad"]').getByText("Ingress is paused").waitFor()
    await goTo(page, "operations")
    await act("Resume ingress")
    await page.locator('[data-ingress="open"]').waitFor()
    await act("Begin a release")
    await page.locator('[data-notice-event="release.begun"]').waitFor({timeout: 60_000})
    await page.locator('[data-release="begun"]').waitFor()
    await page.locator('[data-ingress="paused"]').waitFor()
    await act("Abort the release")
    await page.locator('[data-release="aborted"]').waitFor()
    await page.locator('[data-ingress="open"]').waitFor()
  })

  test("a restart ends the Host with exit code 51, and the page waits for the next run", async () => {
    const project = makeProject({config: configOf(await freePort())})
    const first = await startHost({project, env})
    const {page} = await openConsole(await startChromium(), first, {token, at: "operations"})
    await page.getByRole("button", {name: "Restart the Host"}).click()
    const question = page.getByRole("alertdialog")
    await question.getByText(en.operations.noSupervisor).waitFor()
    await question.getByRole("button", {name: "Restart the Host"}).click()
    expect((await first.process.finished).code).toBe(51)
    await page.locator('[data-connection="away"]').waitFor()
    await startHost({project, env})
    await live(page)
    await page.locator('[data-notice="done"] [data-notice-event="host.started"]').waitFor()
  })

  test("a restart that would fail is refused with the place of the error, and can be forced", async () => {
    const supervised = {...env, SVC_SUPERVISOR: "the test"}
    const host = await startHost({
      own: true,
      config: configOf(0),
      env: supervised,
      args: ["--mode", "production", "--no-watch"],
    })
    const {page} = await openConsole(await startChromium(), host, {token, at: "operations"})
    const act = async (name: string) => {
      await page.getByRole("button", {name, exact: true}).click()
      await page.getByRole("alertdialog").getByRole("button", {name, exact: true}).click()
    }
    host.project.write("svc.config.yml", `${configOf(0)}htpt: {}\n`)
    await act("Restart the Host")
    const refusal = page.locator('[data-refusal="trial_failed"]')
    await refusal.getByText('svc.config.yml:4:1 htpt: unknown key (did you mean "http"?)').waitFor()
    await expectNoBarriers(page, "a refused restart")
    expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
    await act(en.operations.force)
    expect((await host.process.finished).code).toBe(51)
  })
})
