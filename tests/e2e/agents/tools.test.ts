import {createServer} from "node:http"
import {expect, onTestFinished, test} from "vitest"
import {endOf, runsOf} from "../../support/agents/host.ts"
import {helperAt, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunOr, startHost, type TestHost, until} from "../../support/host/host.ts"
import {listen} from "../../support/machine/listen.ts"

/** Asks the agent for a call, as `tool {arguments}`. Resolves to the result that the model received. */
const asking = (host: TestHost) => {
  let asked = 0
  return async (call: string, user = "ada"): Promise<string> => {
    expect(await host.say(`/ask ${call}`, {user})).toEqual([])
    asked++
    const run = await until("the run to begin", async () => (await runsOf(host))[asked - 1])
    return (await endOf(host, run.runId)).answer ?? ""
  }
}

test.each(bunOr("node22"))("svc's own tools do only what the asking user may do, on $name", async runtime => {
  const pages = createServer((_, response) => {
    response.writeHead(200, {"content-type": "text/html"}).end("<h1>Docs</h1><script>no</script>")
  })
  const page = `127.0.0.1:${await listen(pages)}`
  // The model calls the requested tool, then repeats the result.
  const model = await startScriptedModel(({last}) => {
    if (last.role === "tool") return {text: last.text}
    const [name = "", ...args] = last.text.slice(last.text.indexOf("call ") + 5).split(" ")
    return {calls: [{name, args: args.join(" ")}]}
  })
  const host = await startHost({
    runtime,
    config: `http: {port: 0}
plugins: {sandbox: {}}
permissions: [{endpoint: sandbox, user: ada, permission: trusted}]
files: {allowPrivate: ["${page}"]}
agents:
${helperAt(model.url)}    triggers: {command: ask}
    tools:
      send: {to: [{endpoint: sandbox, channel: news}]}
      fetch: {hosts: ["${page}"]}
      timer: {}
      search: {}
      workroom.add: {}
`,
  })
  onTestFinished(async () => void (await host.stop()))
  const ask = asking(host)
  await host.say("the printer is out of ink", {user: "ada"})

  expect(await ask('call workroom.add {"title": "Buy ink"}')).toContain('"item":1')
  expect(await host.get("/api/workroom/items/:id", {id: 1})).toMatchObject({
    title: "Buy ink",
    createdBy: "agent:helper",
  })

  expect(await ask('call send {"channel": "news", "text": "<b>ink</b> @all"}')).toContain("news at sandbox is queued")
  const {items: sent} = await host.get("/api/outbox")
  expect(sent.find(({channel}) => channel === "news")).toMatchObject({state: "sent", text: "<b>ink</b> @all"})
  expect(await ask('call send {"channel": "board", "text": "hi"}')).toMatch(/ board at sandbox\./)
  expect(await ask('call send {"channel": "news", "text": "hi"}', "bob")).toContain("permission trusted")

  expect(await ask('call timer {"in_minutes": 60, "note": "is there ink?"}')).toMatch(/ 20\d\d-\d\d-\d\dT/)
  expect(await host.get("/api/timers")).toMatchObject({items: [{plugin: "agents", name: "wake", state: "waiting"}]})

  expect(await ask(`call fetch {"url": "http://${page}/"}`)).toBe("Docs")
  expect(await ask('call fetch {"url": "http://169.254.169.254/"}')).toMatch(/ 169\.254\.169\.254\./)

  const found = await until("the message to be indexed", async () => {
    const told = await ask('call search {"query": "printer"}')
    return told.includes("out of ink") ? told : undefined
  })
  expect(found).toContain('"text":"the printer is out of ink"')
  // Bob may find his own question.
  expect(await ask('call search {"query": "printer"}', "bob")).not.toContain("out of ink")
})
