import {expect, onTestFinished, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {agentRun, fillDatabase} from "../../support/agents/rows.ts"
import {helperAt, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {fullAndDemo, makeProject, pluginWith, startHost} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {expectNoBarriers, goTo, openConsole} from "./console.ts"

const toolbox = pluginWith(`
    plugin.tool("note", {
      description: "Notes a text", parameters: Type.Object({text: Type.String()}), effect: "external", approval: true,
    }, call => ({noted: call.args.text}))`)

const configOf = (url: string) => `${fullAndDemo.config("toolbox")}agents:
${helperAt(url)}    tools: {toolbox.note: {}}
`

const start = async () => {
  const model = await startScriptedModel(({results}) =>
    results === 0 ? {calls: [{name: "toolbox.note", args: {text: "milk"}}]} : {text: "I noted milk."},
  )
  const project = makeProject({config: configOf(model.url), files: {"plugins/toolbox.ts": toolbox}})
  await fillDatabase(
    project,
    [1, 2].map(seq => agentRun(seq, {agent: "helper", state: "held"})),
  )
  const host = await startHost({project, env: fullAndDemo.env, args: ["--no-watch"]})
  onTestFinished(async () => void (await host.stop()))
  return {model, host}
}

describeWithChromium("acting on agents in the console", () => {
  test("an operator asks an agent, then approves, denies or cancels its call, and the page follows", async () => {
    const {model, host} = await start()
    const {page} = await openConsole(await startChromium(), host, {token: fullAndDemo.env.HTTP_TOKEN})
    const question = page.getByRole("alertdialog")
    const act = async (name: string | RegExp, label: string, reason?: string) => {
      await page.getByRole("button", {name}).click()
      if (reason !== undefined) await question.getByLabel(/^Reason/).fill(reason)
      await question.getByRole("button", {name: label, exact: true}).click()
      await question.waitFor({state: "hidden"})
    }
    const shown = (state: string) => page.locator(`[data-shown-run="${state}"]`).waitFor()
    const waiting = page.locator('[data-approval-state="waiting"]')
    const ask = async () => {
      await goTo(page, "agents/helper")
      await page.getByLabel(en.agents.question).fill("please note milk")
      await page.getByLabel(en.agents.askPermission).selectOption("user")
      await act("Ask helper", "Ask")
      await page.locator('[data-notice="done"] [data-notice-event="agent.run_queued"]').first().waitFor()
      await waiting.getByText("helper wants to call toolbox.note").waitFor()
    }

    await goTo(page, "agents/helper")
    const tool = page.locator('[data-tool="toolbox.note"]')
    await tool.getByText(`${en.agents.effects.external}, ${en.agents.calledFor("user")}, ${en.agents.asks}`).waitFor()
    await ask()
    await waiting.getByText("milk").first().waitFor()
    await expectNoBarriers(page, "a run that waits")
    await act("Approve toolbox.note for helper", "Approve", "milk is good")
    await page.locator('[data-notice-event="agent.approval_approved"]').waitFor()
    await shown("succeeded")
    await page.locator('[data-step="3"][data-step-state="done"]').waitFor()
    await page.getByText("I noted milk.").first().waitFor()

    await ask()
    await act("Deny toolbox.note for helper", "Deny", "there is enough milk")
    await page.locator('[data-notice-event="agent.approval_denied"]').waitFor()
    await shown("succeeded")
    await page.locator('[data-step-state="refused"]').getByText("approval_denied").waitFor()
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("there is enough milk")

    await ask()
    await act(/^Cancel run/, "Cancel run")
    await shown("cancelled")
    await page.locator('[data-reason="cancelled"]').waitFor()
    await page.locator('[data-run-state="cancelled"]').waitFor()
    await waiting.waitFor({state: "detached"})

    model.follow([{text: "Hello."}])
    await goTo(page, "agents/helper/run-1")
    await act("Release run run-1", "Release")
    await shown("succeeded")
    await goTo(page, "agents/helper/run-2")
    await act("Discard run run-2", "Discard")
    await shown("cancelled")

    await goTo(page, "agents/helper")
    await act(en.agents.checkOf("helper"), "Check the model")
    await page
      .locator('[data-check="true"]')
      .getByText(/^scripted answered in/)
      .waitFor()
    model.follow([{status: 401, message: "this key is wrong"}])
    await act(en.agents.checkOf("helper"), "Check the model")
    await page.locator('[data-check="false"]').getByText("this key is wrong").waitFor()
  })
})
