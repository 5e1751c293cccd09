import {describe, expect, onTestFinished, test} from "vitest"
import {helperAt, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunOr, startHost, until} from "../../support/host/host.ts"

const toolbox = `import {definePlugin, Type} from "svc-runtime"
export default definePlugin({
  setup(plugin) {
    plugin.database.migrate([{name: "notes", undo: "drop notes", up: table => [\`CREATE TABLE \${table("notes")} (text TEXT NOT NULL)\`]}])
    plugin.tool("note", {
      description: "Notes a text", parameters: Type.Object({text: Type.String()}), effect: "transaction",
    }, async call => {
      await call.database.write([{sql: \`INSERT INTO \${call.database.table("notes")} VALUES (?)\`, args: [call.args.text]}])
      return {noted: call.args.text}
    })
    plugin.route({method: "GET", path: "/notes", scope: "full", summary: "Notes", handle: async (_, call) =>
      Response.json((await plugin.database.read(\`SELECT text FROM \${plugin.database.table("notes")}\`)).map(row => row.text))})
  },
})
`

describe.each(bunOr("node24"))("an agent on $name", runtime => {
  test("answers a direct message with a plugin's tool", async () => {
    const model = await startScriptedModel(({results}) =>
      results === 0 ? {calls: [{name: "toolbox.note", args: {text: "milk"}}]} : {text: "I noted milk."},
    )
    const host = await startHost({
      runtime,
      config: `http: {port: 0}
plugins: {sandbox: {}, toolbox: {}}
agents:
${helperAt(model.url)}    tools: {toolbox.note: {}}
    triggers: {direct: true, mention: true}
`,
      files: {"plugins/toolbox.ts": toolbox},
    })
    onTestFinished(async () => void (await host.stop()))
    await host.say("please note milk", {user: "ada"})
    const run = await until("the run to end", async () => {
      const {items} = await host.get<{items: {state: string; runId: string}[]}>("/api/runs?kind=agent")
      return items[0]?.state === "succeeded" || items[0]?.state === "failed" ? items[0] : undefined
    })
    expect(await host.get(`/api/runs/${run.runId}`)).toMatchObject({state: "succeeded", answer: "I noted milk."})
    expect(await host.get("/api/plugins/toolbox/notes")).toEqual(["milk"])
  })
})
