import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {satoriEnv as env, heardIn, startServingHost} from "../../support/adapters/satori.ts"
import {bunOr, makeProject, pluginWith, startHost, svc, type TestHost, textsBy, until} from "../../support/host/host.ts"
import {layCable} from "../../support/machine/cable.ts"
import {untilGaps} from "../../support/messages/gaps.ts"
import {endpointOf, untilState} from "../../support/platforms/endpoint.ts"

const endpoint = "satori~one"

const votes = pluginWith(`
    const vote = plugin.action("vote", {data: Type.Object({dish: Type.String()})}, ({data, session}) => session.user?.name + " takes " + data.dish)
    plugin.on("message-created", session => {
      if (session.text === "lunch") return ["What do we eat?", vote.button({dish: "soup"}, "Soup"), vote.button({dish: "salad"}, "Salad")]
      return undefined
    })`)

const portOf = (host: TestHost) => Number(new URL(host.url).port)

const projectAt = (port: number, account: object = {}, plugins: Readonly<Record<string, string>> = {}) => {
  const one = {id: "one", url: `http://127.0.0.1:${port}/satori`, token: "${SATORI_TOKEN}", ...account}
  const others = Object.fromEntries(Object.keys(plugins).map(name => [name, {}]))
  const wrong = {...one, id: "wrong", token: "${WRONG_TOKEN}"}
  const away = {...one, id: "away", url: "http://127.0.0.1:1/satori"}
  const config = {http: {port: 0}, plugins: {satori: {endpoints: [one, wrong, away]}, ...others}}
  return makeProject({config: JSON.stringify(config), plugins})
}

describe.each(bunOr("node24"))("satori between two Hosts, on $name", runtime => {
  test("kill -9 of either Host during traffic loses and duplicates nothing, and the gaps are filled", async () => {
    let server = await startServingHost({own: true, runtime})
    const cable = await layCable(portOf(server))
    const project = projectAt(cable.port)
    let host = await startHost({own: true, runtime, project, env})
    await untilState(host, endpoint, "online")
    const said: string[] = []
    let isOver = false
    // About as fast as a busy channel. Faster traffic than a backfill can fetch is not tested here.
    const talk = async () => {
      for (let n = 1; !isOver; n++) {
        const body = {channel: "room", user: "ann", group: true, text: `line ${n}`, id: `said-${n}`}
        await until("the server to accept it", () =>
          server
            .plugin("/api/plugins/sandbox/messages", body)
            .then(() => true)
            .catch(() => undefined),
        )
        said.push(body.text)
        await sleep(10)
      }
    }
    const talking = talk()
    const hasMore = (count: number) =>
      until("more messages", async () => (await textsBy(host, endpoint)).length > count && said.length > count)
    await hasMore(5)

    await host.stop("SIGKILL")
    const before = said.length
    await until("messages during the outage", () => said.length > before + 5)
    host = await startHost({own: true, runtime, project, env})
    await hasMore(before + 5)

    await server.stop("SIGKILL")
    server = await startServingHost({own: true, runtime, project: server.project})
    cable.join(portOf(server))
    await untilState(host, endpoint, "online")
    await hasMore(said.length)
    isOver = true
    await talking
    await until("the last message", async () => (await textsBy(host, endpoint)).includes(said.at(-1) ?? ""))
    // A message that the server stored as it died is in its inbox but not in its sandbox's history. It may arrive after
    // later messages.
    expect([...(await textsBy(host, endpoint))].sort()).toEqual([...said].sort())
    const gaps = (await untilGaps(host, 2)).filter(gap => gap.endpoint === endpoint)
    expect(gaps.map(({reason}) => reason)).toEqual(["connection_lost", "host_ended"])
  })

  test("buttons reach a platform that shows them, and become a numbered list on others", async () => {
    const server = await startServingHost({runtime})
    const host = await startHost({runtime, project: projectAt(portOf(server), {buttons: true}, {votes}), env})
    await untilState(host, endpoint, "online")
    expect((await endpointOf(host, endpoint)).features).toContain("buttons")
    const chat = {channel: "room", user: "ann", group: true}
    const answers = async () => (await heardIn(server, "room")).map(({text}) => text)
    await server.plugin("/api/plugins/sandbox/messages", {...chat, text: "lunch"})
    await until("the buttons", async () => (await answers()).length === 1)
    await server.plugin("/api/plugins/sandbox/press", {...chat, button: "Soup"})
    await until("the answer to the press", async () => (await answers()).length === 2)
    expect((await answers())[1]).toBe("ann takes soup")
    await host.stop()

    const other = await startHost({runtime, project: projectAt(portOf(server), {}, {votes}), env})
    await untilState(other, endpoint, "online")
    expect((await endpointOf(other, endpoint)).features).not.toContain("buttons")
    await server.plugin("/api/plugins/sandbox/messages", {...chat, text: "lunch"})
    await until("the list", async () => (await answers()).length === 3)
    expect((await answers())[2]).toContain("2. Salad")
    await server.plugin("/api/plugins/sandbox/messages", {...chat, text: "2"})
    await until("the answer to the number", async () => (await answers()).length === 4)
    expect((await answers())[3]).toBe("ann takes salad")
  })

  test("svc adapter check lists an account's abilities, and explains a wrong token and an offline server", async () => {
    const project = projectAt(portOf(await startServingHost({runtime})))
    const host = await startHost({runtime, project, env})
    await untilState(host, endpoint, "online")
    const check = (name: string) => svc(runtime, project, ["adapter", "check", name], {env})
    const good = await check(endpoint)
    expect(good).toMatchObject({code: 0, stdout: expect.stringContaining("ok      login: sandbox bot\n")})
    expect(good.stdout).toMatch(/ok {6}methods: login\.get, message\.create/)
    expect((await endpointOf(host, endpoint)).state).toBe("online")
    const wrong = await check("satori~wrong")
    expect(wrong).toMatchObject({code: 1, stdout: expect.stringMatching(/\brejected the token\b/)})
    expect(wrong.stdout).toMatch(/do: Correct .*\btoken\b/)
    expect(await check("satori~away")).toMatchObject({code: 1, stdout: expect.stringContaining("ERROR   platform:")})
  })
})
