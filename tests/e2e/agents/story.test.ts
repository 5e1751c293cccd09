import {describe, expect, test} from "vitest"
import {readRows, runAsked, waitingApprovals} from "../../support/agents/host.ts"
import {type FakeQuestion, startProtocolFake} from "../../support/agents/protocol-fake.ts"
import {helperAt} from "../../support/agents/scripted-model.ts"
import {bunOr, messagesIn, pluginWith, startHost, type TestHost, until} from "../../support/host/host.ts"
import {untilEndpoint} from "../../support/irc/host.ts"
import {joinIrc, startIrcServer} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {answer} from "../../support/messages/answers.ts"

/** A plugin with a table, a tool that writes to it, and a tool that needs approval. */
const toolbox = pluginWith(`
    plugin.database.migrate([{name: "notes", irreversible: "the notes are gone", up: table => ["CREATE TABLE " + table("notes") + " (kind TEXT NOT NULL, text TEXT NOT NULL)"]}])
    const insert = (call, kind) => call.database.write([{sql: "INSERT INTO " + call.database.table("notes") + " VALUES (?, ?)", args: [kind, call.args.text]}])
    plugin.tool("note", {description: "Notes a text", parameters: Type.Object({text: Type.String()}), effect: "transaction"}, async call => {
      await insert(call, "note")
      return {noted: call.args.text}
    })
    plugin.tool("announce", {description: "Announces a text", parameters: Type.Object({text: Type.String()}), effect: "transaction", approval: true}, async call => {
      await insert(call, "announced")
      await call.send({endpoint: "sandbox", channel: "news"}, "NEWS " + call.args.text)
      return "announced"
    })
    plugin.route({method: "GET", path: "/notes", scope: "full", summary: "Notes", handle: async () =>
      Response.json((await plugin.database.read("SELECT kind, text FROM " + plugin.database.table("notes") + " ORDER BY kind, text")).map(row => row.kind + " " + row.text))})`)

/** Four turns: a plugin's tool, a work item, a call that needs approval, and an answer. `asked` names the story. */
const tell = ({asked, results}: FakeQuestion) => {
  const name = asked.replace("plan ", "")
  const turns = [
    {text: "I note it first.", calls: [{name: "toolbox.note", args: {text: name}}]},
    {calls: [{name: "workroom.add", args: {title: `organise ${name}`}}]},
    {calls: [{name: "toolbox.announce", args: {text: name}}]},
    {text: `The ${name} is planned & <b>announced</b>.`},
  ]
  return turns[results.length] ?? {text: "there is nothing more to do"}
}

const bindings = (url: string) => `agents:
${helperAt(url)}    tools: &tools {toolbox.note: {}, toolbox.announce: {}, workroom.add: {}}
    triggers: {direct: true, mention: true}
  claude:
    provider: anthropic
    model: any
    baseURL: ${url}
    key: \${MODEL_KEY}
    instructions: You help, too.
    tools: *tools
    triggers: {command: claude}
`

const config = (url: string, port: number) => `http: {port: 0}
permissions:
  - {endpoint: sandbox, permission: trusted}
  - {endpoint: irc~net, channel: "#one", permission: trusted}
  - {endpoint: irc~net, channel: "#two", permission: trusted}
plugins:
  sandbox: {}
  toolbox: {}
  irc:
    endpoints:
      - {id: net, server: 127.0.0.1, port: ${port}, tls: false, nick: svcbot, channels: ["#one", "#two"]}
${bindings(url)}`

const untilJoined = async (host: TestHost, people: readonly {sees(pattern: RegExp): Promise<string>}[]) => {
  await untilEndpoint(host, "net", "online")
  for (const person of people) await person.sees(/^:svcbot!\S+ JOIN/)
}

describeWith("ngircd")("an agent from the question to the answer", () => {
  describe.each(bunOr("node24"))("on $name", runtime => {
    test("uses tools, keeps approvals across kill -9, and repeats nothing, with two model protocols", async () => {
      const fake = await startProtocolFake(tell)
      const server = await startIrcServer("ngircd")
      const alice = await joinIrc(server, "alice", {channel: "#one"})
      const bob = await joinIrc(server, "bob", {channel: "#two"})
      alice.write("JOIN #two")
      await alice.sees(/^\S+ 366 /)
      const env = {MODEL_KEY: "key-of-the-story"}
      let host = await startHost({own: true, runtime, config: config(fake.url, server.port), plugins: {toolbox}, env})
      await untilJoined(host, [alice, bob])

      await host.say("plan picnic", {channel: "first"})
      await host.say("/claude plan concert", {channel: "second"})
      alice.say("#one", "svcbot: plan hike")
      alice.say("#two", "!claude plan race")
      const asked = await waitingApprovals(host, 4)
      expect(asked.map(({tool, shown}) => `${tool}: ${shown}`).sort()).toEqual(
        ["concert", "hike", "picnic", "race"].map(name => `toolbox.announce: toolbox.announce {"text":"${name}"}`),
      )
      await alice.sees(/svcbot!\S+ PRIVMSG #one :2\. Deny/)
      await bob.sees(/svcbot!\S+ PRIVMSG #two :2\. Deny/)
      const buttons = await until("the approvals in the sandbox", async () => {
        const messages = [(await messagesIn(host, "first")).at(-1), (await messagesIn(host, "second")).at(-1)]
        return messages.every(message => message?.buttons.length === 2) && messages
      })
      expect(buttons[0]?.text).toMatch(
        /^The agent helper asks to call toolbox\.announce:\ntoolbox\.announce {"text":"picnic"}\nUsers with the permission trusted can decide until .+ UTC\.\n?\[1\] Approve {2}\[2\] Deny$/,
      )
      await host.stop("SIGKILL")

      host = await startHost({own: true, runtime, project: host.project, env})
      await untilJoined(host, [alice, bob])
      expect(await waitingApprovals(host, 4)).toEqual(asked)
      for (const [index, channel] of ["first", "second"].entries()) {
        const {id: message = "", buttons: [approve] = []} = buttons[index] ?? {}
        await host.plugin("/api/plugins/sandbox/press", {channel, message, button: approve?.id})
      }
      alice.say("#one", "1")
      alice.say("#two", "1")
      const answers = ["picnic", "concert", "hike", "race"].map(name => runAsked(host, `plan ${name}`))
      expect((await Promise.all(answers)).map(({agent, state, answer}) => `${agent} ${state}: ${answer}`)).toEqual([
        "helper succeeded: The picnic is planned & <b>announced</b>.",
        "claude succeeded: The concert is planned & <b>announced</b>.",
        "helper succeeded: The hike is planned & <b>announced</b>.",
        "claude succeeded: The race is planned & <b>announced</b>.",
      ])
      await alice.sees(/PRIVMSG #two :The race is planned & <b>announced<\/b>\./)
      bob.say("#two", "1")
      await bob.sees(new RegExp(`PRIVMSG #two :${answer("agent.decided")}`))

      expect(await host.plugin("/api/plugins/toolbox/notes")).toEqual(
        ["announced", "note"].flatMap(kind => ["concert", "hike", "picnic", "race"].map(name => `${kind} ${name}`)),
      )
      const {items} = await host.get("/api/workroom/items")
      expect(items.map(({title, createdBy}) => `${createdBy} ${title}`).sort()).toEqual([
        "agent:claude organise concert",
        "agent:claude organise race",
        "agent:helper organise hike",
        "agent:helper organise picnic",
      ])
      expect(
        (
          await until("the news", async () => {
            const news = await messagesIn(host, "news")
            return news.length === 4 && news
          })
        )
          .map(({text}) => text)
          .sort(),
      ).toEqual(["concert", "hike", "picnic", "race"].map(name => `NEWS ${name}`))
      const said = (person: typeof alice, channel: string) => person.heard("svcbot", channel)
      expect(said(alice, "#one").filter(line => /planned/.test(line))).toEqual([
        "The hike is planned & <b>announced</b>.",
      ])
      expect(said(bob, "#two").filter(line => /planned/.test(line))).toEqual([
        "The race is planned & <b>announced</b>.",
      ])
      for (const [person, channel] of [
        [alice, "#one"],
        [bob, "#two"],
      ] as const) {
        expect(said(person, channel).filter(line => /asks to call/.test(line))).toHaveLength(1)
        expect(said(person, channel).filter(line => /^Approved: toolbox\.announce\.$/.test(line))).toHaveLength(1)
      }
      expect((await messagesIn(host, "first")).filter(({text}) => /planned/.test(text))).toHaveLength(1)
      expect(new Set(fake.paths())).toEqual(new Set(["/v1/chat/completions", "/v1/messages"]))
      expect(fake.bodies()).not.toContain(env.MODEL_KEY)
      await host.stop()
      const rows = await readRows(host.project, "SELECT kind, content, state FROM outbox")
      const texts = rows.map(({content}) => String(content))
      expect(texts.filter(text => text.includes("asks to call"))).toHaveLength(4)
      expect(texts.filter(text => text.includes("is planned"))).toHaveLength(4)
      expect(texts.filter(text => text.includes("NEWS"))).toHaveLength(4)
      expect(rows.filter(({state}) => state !== "sent")).toEqual([])
      const steps = await readRows(
        host.project,
        "SELECT state, begun, count(*) AS n FROM agent_steps GROUP BY state, begun",
      )
      expect(steps).toEqual([{state: "done", begun: 1, n: 28}])
    })
  })
})
