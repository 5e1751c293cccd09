import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {createVerifier} from "../../../server/runtime/signatures/verifier.ts"
import {Secret} from "../../../shared/secret.ts"
import {bunAnd, pluginWith, startHost, type TestHost, until, untilState} from "../../support/host/host.ts"

const env = {FORGE_SECRET: "It's a Secret to Everybody"}
const config = `http: {port: 0}
plugins: {sandbox: {}, forge: {config: {secret: "\${FORGE_SECRET}"}}}
`
const numbers = Array.from({length: 20}, (_, n) => n)

/** Tells the chat about each request, once the project has the file `go`. */
const forge = pluginWith(`
    plugin.webhook("pushes", {verify: {by: "github", secret: config.secret}, order: "none"}, async ({data, session}) => {
      while (!existsSync(join(plugin.project, "go"))) await sleep(5)
      await session.send({endpoint: "sandbox", channel: "dev"}, "push " + data.n)
    })`).replace("setup(plugin) {", "config: Type.Object({secret: Type.Secret()}),\n  setup(plugin, config) {")

const push = async ({url}: TestHost, n: number): Promise<{readonly duplicate: boolean} | undefined> => {
  const body = JSON.stringify({n})
  const signed = createVerifier({by: "github", secret: new Secret(env.FORGE_SECRET)}).sign("", body)
  const headers = {...signed, "content-type": "application/json", "x-github-delivery": `d-${n}`}
  const answer = await fetch(`${url}/hooks/forge/pushes`, {method: "POST", headers, body}).catch(() => undefined)
  return answer?.status === 202 ? ((await answer.json()) as {duplicate: boolean}) : undefined
}

const handled = (host: TestHost, count: number) =>
  until(`${count} requests to be handled`, async () => {
    const {items} = await host.get("/api/inbox", {limit: 100})
    return items.length === count && items.every(({state}) => state === "handled")
  })

test.each(bunAnd("node22"))(
  "kill -9 before and while webhooks are handled leaves each handled once, on $name",
  async runtime => {
    const open = async (options: Parameters<typeof startHost>[0]) => {
      const started = await startHost({own: true, runtime, env, ...options})
      await untilState(started, "forge~pushes", "online")
      return started
    }
    let host = await open({config, plugins: {forge}})
    for (const n of numbers.slice(0, 5)) expect(await push(host, n)).toMatchObject({duplicate: false})
    await host.stop("SIGKILL")

    // Stored and acknowledged, but not handled.
    host.project.write("go", "")
    host = await open({project: host.project})
    await handled(host, 5)
    // A handler that was running in two kills would be suspected of them.
    const unanswered = numbers.slice(5).map(n => push(host, n))
    await sleep(10)
    await host.stop("SIGKILL")
    await Promise.all(unanswered)

    host = await open({project: host.project})
    // Senders repeat what was not acknowledged; this one repeats everything.
    for (const n of numbers) expect(await push(host, n)).toMatchObject(n < 5 ? {duplicate: true} : {})
    await handled(host, numbers.length)
    const sent = (await host.get("/api/outbox", {limit: 100})).items.map(({text}) => text)
    expect(sent.sort()).toEqual(numbers.map(n => `push ${n}`).sort())
  },
)
