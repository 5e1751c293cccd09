import {createServer} from "node:http"
import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {bunOr, pluginWith, startHost, type TestHost, untilIdle} from "../../support/host/host.ts"
import {faultRun} from "../../support/machine/fault-run.ts"
import {listen} from "../../support/machine/listen.ts"
import {bodyOf} from "../../support/machine/stand-in-server.ts"

const {rounds: kills} = faultRun("act-kills")
const perKill = 6

/** A stand-in for a platform that drops repeated sends. It notes edits and deletions of unsent messages. */
const startPlatform = async () => {
  const messages = new Map<string, string>()
  const sent = new Set<string>()
  const wrong: string[] = []
  const acts: Record<string, (body: {id: string; text: string}) => void> = {
    "/send": ({id, text}) => {
      if (!sent.has(id)) messages.set(id, text)
      sent.add(id)
    },
    "/edit": ({id, text}) => {
      if (messages.has(id)) messages.set(id, text)
      else if (!sent.has(id)) wrong.push(`edit of ${id}, which was not sent`)
    },
    "/delete": ({id}) => {
      if (!sent.has(id)) wrong.push(`deletion of ${id}, which was not sent`)
      messages.delete(id)
    },
  }
  const server = createServer(async (request, response) => {
    const body = String(await bodyOf(request))
    acts[request.url ?? ""]?.(JSON.parse(body))
    response.end("{}")
  })
  const port = await listen(server)
  return {messages, wrong, port}
}

const wire = pluginWith(`
    plugin.adapter("wire", {
      history: "inside", idempotent: true, features: ["edit", "delete"], account: Type.Object({port: Type.Integer()}),
      open: async ({port}) => {
        const ask = async (path: string, body: object, signal: AbortSignal) => {
          const answer = await fetch("http://127.0.0.1:" + port + path, {method: "POST", body: JSON.stringify(body), signal})
          await answer.text()
        }
        return {
          send: async ({id, content}, signal) => {
            await ask("/send", {id, text: content.join("")}, signal)
            return {ids: [id]}
          },
          edit: async ({message, content}, signal) => ask("/edit", {id: message, text: content.join("")}, signal),
          delete: async ({message}, signal) => ask("/delete", {id: message}, signal),
        }
      },
    })`)

/** For each number: sends a draft, edits it, deletes every third one. A route sends it once more, under a key. */
const actor = pluginWith(`
    plugin.on("message-created", async session => {
      const n = Number(session.text)
      const id = await session.send({endpoint: "wire~one", channel: "c" + n % 4}, "draft " + n)
      await session.edit(id, "final " + n)
      if (n % 3 === 0) await session.delete(id)
    })
    plugin.route({
      method: "POST", path: "/keyed", scope: "full", summary: "Say under a key",
      body: Type.Object({n: Type.Integer()}),
      handle: async (_, call) => {
        const {n} = call.body as any
        return Response.json({id: await plugin.send({endpoint: "wire~one", channel: "k"}, "keyed " + n, {key: "k" + n})})
      },
    })`)

test.each(bunOr("node22"))(`${kills} kills leave each act done once and in order, on $name`, async runtime => {
  const platform = await startPlatform()
  const config = `http: {port: 0}
plugins:
  sandbox: {}
  actor: {}
  wire: {endpoints: [{id: one, port: ${platform.port}}]}
`
  let host = await startHost({own: true, runtime, config, plugins: {wire, actor}})
  const say = async (of: TestHost, n: number) => {
    await of.plugin("/api/plugins/sandbox/messages", {
      text: String(n),
      id: `n${n}`,
      user: `u${n % 4}`,
      channel: `r${n % 4}`,
    })
    await of.plugin("/api/plugins/actor/keyed", {n})
  }
  for (let kill = 0; kill < kills; kill++) {
    const numbers = Array.from({length: perKill}, (_, index) => kill * perKill + index)
    const before = host
    const saying = Promise.all(numbers.map(n => say(before, n).catch(() => {})))
    await sleep(kill * 9)
    await host.stop("SIGKILL")
    await saying
    host = await startHost({own: true, runtime, project: host.project})
    // A caller that got no answer asks again, under the same id and the same key.
    for (const n of numbers) await say(host, n)
  }
  await untilIdle(host)
  const all = Array.from({length: kills * perKill}, (_, n) => n)
  const expected = [...all.filter(n => n % 3 !== 0).map(n => `final ${n}`), ...all.map(n => `keyed ${n}`)]
  const {items: dead} = await host.get("/api/inbox", {limit: 500, state: "dead"})
  // A handler that ran at two kills in a row is suspected of causing them. It has sent nothing.
  const silent = dead.map(({event}) => `final ${event.message?.content}`)
  expect([...platform.messages.values()].sort()).toEqual(expected.filter(text => !silent.includes(text)).sort())
  expect(platform.wrong).toEqual([])
  expect((await host.get("/api/outbox", {limit: 1, state: "unknown"})).items).toEqual([])
})
