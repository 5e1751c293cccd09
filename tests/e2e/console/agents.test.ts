import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {fillDatabase} from "../../support/agents/rows.ts"
import {agentsOfScene, sceneOfAgents} from "../../support/agents/scene.ts"
import {fullAndDemo, makeProject, shared, startHost, until} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {expectNoBarriers, expectNoSidewaysScroll, goTo, openConsole, untilHeadingFocused} from "./console.ts"

const {HTTP_TOKEN: token, DEMO_TOKEN: demoToken} = fullAndDemo.env

const start = async () => {
  const project = makeProject({config: `${fullAndDemo.config()}${agentsOfScene}`})
  await fillDatabase(project, sceneOfAgents())
  return startHost({project, env: fullAndDemo.env, args: ["--no-watch"]})
}

describeWithChromium("the agents in the console", () => {
  const host = shared(start)
  const open = async (at: string, more: Parameters<typeof openConsole>[2] = {}) =>
    openConsole(await startChromium(), host(), {token, at, ...more})

  test("a binding shows its health with a remedy, its runs, today's usage and its limits", async () => {
    const {page} = await open("agents")
    const triage = page.locator('[data-agent="triage"]')
    await triage.getByText("configured", {exact: true}).waitFor()
    await triage.getByText("1 approval waiting").waitFor()
    await triage.getByText("1 waiting, 1 held").waitFor()
    await triage.getByText("Today: 4 runs, 1,540 tokens, money 1.5").waitFor()
    const runs = triage.getByRole("meter", {name: "Runs today"})
    expect(await runs.getAttribute("aria-valuetext")).toBe("4 of 5")
    expect([await runs.getAttribute("aria-valuenow"), await runs.getAttribute("aria-valuemax")]).toEqual(["4", "5"])
    const reader = page.locator('[data-agent="reader"]')
    await reader.getByText("not configured").waitFor()
    await reader.getByText("Correct agents.reader.provider.").waitFor()
    await page.locator('[data-agent="off"]').getByText("disabled", {exact: true}).waitFor()
    expect(await page.locator("[data-agent]").first().getAttribute("data-agent")).toBe("reader")

    await goTo(page, "agents/triage")
    const detail = page.getByRole("region", {name: "triage", exact: true})
    await detail.getByText("a mention, a command").waitFor()
    await detail.getByText(en.agents.permission("trusted")).waitFor()
    await detail.getByText("up to 100").waitFor()
    await detail.getByRole("button", {name: en.agents.checkOf("triage")}).waitFor()
    await goTo(page, "agents/nobody")
    await page.getByText(en.agents.gone("nobody")).waitFor()
  })

  test("runs are filtered by agent and state, and the list continues after its first page", async () => {
    const {page} = await open("agents")
    const rows = page.locator("[data-run]")
    const list = page.getByRole("list", {name: "Runs"})
    await page.locator('[data-run="run-139"]').waitFor()
    await list.evaluate(element => element.scrollTo(0, element.scrollHeight))
    await page.locator('[data-run="run-40"]').waitFor()
    await until("the list to reach its end", async () => {
      await list.evaluate(element => element.scrollTo(0, element.scrollHeight))
      return (await page.locator('[data-run="run-1"]').count()) === 1
    })
    await page.locator('[data-run="run-2"]').click()
    await page.getByRole("heading", {name: "Run run-2"}).waitFor()
    expect(await rows.count(), "a run is opened, and the list stays as it was").toBeGreaterThan(4)
    await goTo(page, "agents")
    await page.getByRole("combobox", {name: "Agent", exact: true}).selectOption("triage")
    await page.locator('[data-run="run-4"]').getByText(`${en.agents.waits.approval}, 2 steps, 900 tokens`).waitFor()
    await until("the list to have only runs of triage", async () => (await rows.count()) === 4)
    await page.getByRole("combobox", {name: "State", exact: true}).selectOption("failed")
    await until("the list to have only failed runs of triage", async () => (await rows.count()) === 1)
    await rows.first().getByText("provider_refused").waitFor()
    await page.getByRole("combobox", {name: "State", exact: true}).selectOption("held")
    await page.getByRole("button", {name: en.agents.heldDeeds.release}).click()
    await page.getByRole("alertdialog").getByText(en.agents.heldSays.release).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("combobox", {name: "State", exact: true}).selectOption("queued")
    await page.getByText("No runs.").waitFor()
  })

  test("a run is a waterfall of steps; each opens by keyboard to its input and output", async () => {
    const {page} = await open("agents/triage/run-1")
    await page.locator('[data-shown-run="succeeded"]').waitFor()
    for (const [name, href] of [
      ["Agent triage", "#/agents/triage"],
      ["Work item 1", "#/workroom/1"],
      ["Inbox event 1", "#/inbox/1"],
      ["Endpoint sandbox", "#/endpoints/sandbox"],
    ] as const) {
      expect(await page.getByRole("link", {name, exact: true}).getAttribute("href")).toBe(href)
    }
    expect(await page.getByRole("meter", {name: "Steps"}).getAttribute("aria-valuetext")).toBe("4 of 10")
    await page.getByText("On the second floor. I have told #office.").first().waitFor()
    await page.getByText("Striped: idle for 8 h").waitFor()
    await page.locator('[data-approval-state="approved"]').getByText("by user:sandbox/grace").waitFor()

    const boxes = await page.locator("[data-step] .bar:not(.asked)").evaluateAll(bars =>
      bars.map(bar => {
        const {left, right} = bar.getBoundingClientRect()
        return [left, right] as const
      }),
    )
    expect(boxes).toHaveLength(4)
    for (const [index, [left]] of boxes.entries()) {
      const [, before] = boxes[index - 1] ?? [0, 0]
      expect(left, `step ${index + 1} begins where the one before has ended`).toBeGreaterThanOrEqual(before - 1)
    }
    const first = page.locator('[data-step="1"]')
    await first.getByText("started 2 times").waitFor()
    await first.getByText("200 tokens in, 20 out").waitFor()
    await first.locator("summary").focus()
    await page.keyboard.press("Enter")
    await first.getByText("I look it up.").waitFor()
    await first.getByText('"words": "printer"').waitFor()
    const second = page.locator('[data-step="2"]')
    await second.locator("summary").focus()
    await page.keyboard.press("Enter")
    await second.getByText("line 0 of the handbook").waitFor()
    expect(await second.textContent()).not.toContain("line 199")
    await second.getByRole("button", {name: /^Show all/}).click()
    await second.getByText("line 199 of the handbook").waitFor()

    await goTo(page, "agents/triage/run-2")
    await page.locator('[data-reason="provider_refused"]').waitFor()
    await goTo(page, "agents/triage/run-4")
    await page.locator('[data-step="2"][data-step-state="waiting"]').getByText("not started").waitFor()
  })

  test("the overview shows pending approvals, which say exactly what will happen and ask first", async () => {
    const {page} = await open("")
    await page.getByText("triage: send “Tea is ready” to #office on sandbox").waitFor()
    await page.getByText(en.attention.agentsHeld(1)).waitFor()
    await page.getByText(en.attention.agentsWrong(1)).waitFor()
    await page.getByRole("link", {name: `${en.attention.show}: ${en.attention.approvals(1)}`}).click()
    const approval = page.locator('[data-approval="approval-4-2"]')
    await approval.getByText("send “Tea is ready” to #office on sandbox").waitFor()
    await approval.getByText("In chat, trusted may decide.").waitFor()
    await approval.getByText(/in #team on sandbox, denied at .+ if nobody decides/).waitFor()
    const question = page.getByRole("alertdialog")
    for (const action of ["Approve", "Deny"]) {
      await page.getByRole("button", {name: `${action} send for triage`}).click()
      await question.getByText("send “Tea is ready” to #office on sandbox").waitFor()
      await question.getByLabel(en.agents.approval.reason).fill("tea is wanted")
      await expectNoBarriers(page, `${action}?`)
      await question.getByRole("button", {name: "Cancel"}).click()
      await question.waitFor({state: "hidden"})
    }
    await goTo(page, "agents/triage/run-3")
    await page.getByRole("button", {name: "Release run run-3"}).waitFor()
    await page.getByRole("button", {name: "Discard run run-3"}).click()
    await question.getByText(String(en.agents.discardSays[0])).waitFor()
  })

  test("the page is accessible: light and dark, by keyboard, at 360 pixels", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const {page} = await open("agents/triage", {colorScheme})
      await page.getByRole("heading", {name: "What starts runs"}).waitFor()
      await expectNoBarriers(page, `an agent, ${colorScheme}`)
      await page.setViewportSize({width: 360, height: 740})
      await expectNoSidewaysScroll(page, `an agent, ${colorScheme}`)
      for (const run of ["run-1", "run-4"]) {
        await goTo(page, `agents/triage/${run}`)
        await page.getByRole("heading", {name: `Run ${run}`}).waitFor()
        await page.locator("[data-step] summary").first().click()
        await expectNoSidewaysScroll(page, `${run}, ${colorScheme}`)
        await expectNoBarriers(page, `${run}, ${colorScheme}`)
      }
    }
    const {page} = await open("agents")
    await page.locator('[data-agent="triage"] a').first().focus()
    await page.keyboard.press("Enter")
    await untilHeadingFocused(page, "h2", "triage")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await until("the focus to return", () =>
      page.evaluate(() => document.activeElement?.closest('[data-agent="triage"]') !== null),
    )
  })

  test("a demo token sees states and amounts, but no texts and no actions", async () => {
    const {page} = await open("", {token: demoToken})
    await page.getByText("triage: send.").waitFor()
    await goTo(page, "agents/triage/run-1")
    await page.locator('[data-shown-run="succeeded"]').waitFor()
    await page.locator('[data-step="1"] summary').click()
    await page.locator('[data-step="1"]').getByText(en.hidden).first().waitFor()
    await page.locator('[data-approval="approval-4-2"]').getByText(en.hidden).waitFor()
    await page.locator('[data-step="1"]').getByText("200 tokens in, 20 out").waitFor()
    const said = ["printer", "Tea is ready", "second floor", "Sorts what comes in", "#team", "#office", "grace", "ada"]
    const seen = async () => (await page.locator("main").textContent()) ?? ""
    for (const at of ["agents/triage/run-1", "agents/triage", "agents/triage/run-2"]) {
      await goTo(page, at)
      await page.getByRole("heading", {name: "Agents", level: 2}).waitFor()
      const text = await seen()
      for (const word of said) expect(text, `${word} at ${at}`).not.toContain(word)
      const buttons = await page.getByRole("main").getByRole("button").allTextContents()
      // These buttons copy the CLI commands of remedies.
      expect(buttons.filter(name => name !== "Copy")).toEqual([])
      await expectNoBarriers(page, `${at} with a demo token`)
    }
    await page.locator('[data-reason="provider_refused"]').waitFor()
  })
})
