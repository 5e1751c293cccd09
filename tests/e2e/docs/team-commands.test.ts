import {describe, expect, test} from "vitest"
import {runsOf} from "../../support/agents/host.ts"
import {agentRun, fillDatabase} from "../../support/agents/rows.ts"
import {helperAt, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {clientOf, makeReadersProject, readerOf} from "../../support/docs/reader-project.ts"
import {bunOr, until} from "../../support/host/host.ts"

const configOf = (url: string, store: string) => `http: {port: 0, token: "\${HTTP_TOKEN}"}
workroom: {store: ${store}}
plugins: {sandbox: {}}
agents:
${helperAt(url)}    permission: user
    triggers: {items: true, direct: true}
`

describe.each(bunOr("node24"))("on $name", runtime => {
  test("the commands of the pages on the workroom and on agents work", async () => {
    // A stand-in for a model's server, with a scripted answer.
    const model = await startScriptedModel([{text: "Seven days."}])
    const project = makeReadersProject({config: configOf(model.url, "file")})
    await fillDatabase(project, [agentRun(1, {agent: "helper", state: "held", reason: "restored"})])
    const reader = readerOf(project, () => ({"/items/1/": "/items/2/"}), {}, runtime)
    await reader.start()
    await reader.run("docs/workroom.md", "From the command line")
    await reader.run("docs/workroom.md", "Over HTTP")
    await reader.run("docs/agents.md", "Work items")
    await reader.run("docs/agents/operate.md")
    project.write("eval.yml", "cases:\n  - {name: days, say: How long?, answer: {contains: [seven days]}}\n")
    await reader.run("docs/agents/operate.md", "Evaluate")
    await reader.run("docs/agents/operate.md", "After a restore")
    const runs = await until("the runs to end", async () => {
      const items = await runsOf(clientOf(project))
      return items.every(({state}) => state === "succeeded") && items
    })
    expect(runs.map(({item}) => item ?? 0).toSorted()).toEqual([0, 0, 4])
  }, 600_000)
})

test("the commands of the page on the workroom verify its files and rebuild the Catalog", async () => {
  const project = makeReadersProject({config: configOf("http://127.0.0.1:9/v1", "file")})
  const reader = readerOf(project, () => ({}), {
    after: async line => {
      if (line.startsWith("svc workroom verify") && !line.includes("--rebuild"))
        process.kill(JSON.parse(project.read(".svc/host.json")).pid, "SIGTERM")
    },
  })
  await reader.start()
  await reader.run("docs/workroom.md", "From the command line")
  await reader.run("docs/workroom.md", "What can go wrong")
}, 600_000)
