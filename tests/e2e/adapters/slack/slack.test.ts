import {describe, expect, onTestFinished, test} from "vitest"
import {FakeSlack, signedHeaders} from "../../../../server/testing/platforms/slack/slack.ts"
import {bunOr, shared, svc, until, whenOver} from "../../../support/host/host.ts"
import {accountOf, environment, startSlackHost, textsOf, untilSlack} from "../../../support/platforms/slack/host.ts"

describe.each(bunOr("node24"))("a bot on a stand-in for Slack, on $name", runtime => {
  const running = shared(async () => {
    const slack = await FakeSlack.start(whenOver)
    const second = accountOf(slack, {
      id: "http",
      botToken: "${SLACK_SECOND}",
      appToken: undefined,
      signingSecret: "${SLACK_SECRET}",
    })
    const host = await startSlackHost([accountOf(slack), second], {runtime})
    await untilSlack(host, "online")
    await untilSlack(host, "online", "http")
    return {slack, host}
  })
  const press = (message: {ts: string; text: string}, action: object, more: object = {}) =>
    running().slack.deliver("interactive", {
      type: "block_actions",
      user: {id: "U0ANN", username: "ann"},
      channel: {id: "C0ROOM", name: "room"},
      message: {ts: message.ts, text: message.text},
      actions: [{action_ts: running().slack.world.ts(), ...action}],
      ...more,
    })

  test("answers a mention, keeps to the thread of the question, and names users", async () => {
    const {slack} = running()
    await slack.say("<@U0BOT> greet Bob")
    await slack.untilHeard("hello Bob")
    const root = slack.add("a root")
    await slack.say("!greet Thread", {thread_ts: String(root.ts)})
    expect(await slack.untilHeard("hello Thread")).toMatchObject({thread_ts: root.ts})
    const asked = await slack.say("!thread")
    expect(await slack.untilHeard("in the thread")).toMatchObject({thread_ts: asked.ts})
    const marked = await slack.say("!mark")
    await until("the bot's reaction", () => slack.world.find("C0ROOM", marked.ts)?.reactions.has("eyes"))
  })

  test("receives edits, deletions, reactions and member changes, except the bot's own", async () => {
    const {slack} = running()
    const {ts, channel, ...said} = await slack.say("as it was")
    const edited = {...said, ts, text: "as it is", edited: {user: "U0ANN", ts: slack.world.ts()}}
    await slack.tell({type: "message", subtype: "message_changed", channel, message: edited, previous_message: said})
    await slack.untilHeard(`message-updated C0ROOM ann ${ts} as it is`)
    await slack.tell({type: "reaction_added", user: "U0BOB", reaction: "+1", item: {type: "message", channel, ts}})
    await slack.untilHeard(`reaction-added C0ROOM bob ${ts} 👍`)
    await slack.tell({type: "reaction_removed", user: "U0BOB", reaction: "party", item: {type: "message", channel, ts}})
    await slack.untilHeard(`reaction-removed C0ROOM bob ${ts} :party:`)
    await slack.tell({type: "message", subtype: "message_deleted", channel, deleted_ts: ts, previous_message: edited})
    await slack.untilHeard(`message-deleted C0ROOM ann ${ts} `)
    await slack.tell({type: "member_joined_channel", user: "U0BOB", channel})
    await slack.untilHeard("guild-member-added C0ROOM bob  ")
    expect(await textsOf(running().host)).not.toContain("hello Bob")
  })

  test("handles presses and forms, and acknowledges them before the handler ends", async () => {
    const {slack} = running()
    await slack.say("!paint")
    const asked = await slack.untilHeard("Which?")
    const [red] = (asked.blocks[1]?.elements ?? []) as readonly {readonly action_id: string; readonly value: string}[]
    expect(await press(asked, {...red, type: "button"})).toBe(true)
    await slack.untilHeard("ann takes red")
    await slack.say("!order")
    const form = await slack.untilHeard("Your order:")
    const [submit = {}] = (form.blocks.at(-1)?.elements ?? []) as readonly object[]
    const values = {a: {"svc-field-0-name": {value: "Ann"}}, b: {"svc-field-0-size": {value: "3"}}}
    await press(form, submit, {state: {values}})
    await slack.untilHeard("Ann has 3")
  })

  test("sends files and text in one message, and mentions only users that the plugin names", async () => {
    const {slack, host} = running()
    await slack.say("!file")
    const {files, ts} = await slack.untilHeard("Here:")
    expect(files.map(({name, bytes}) => [name, Buffer.from(bytes).toString()])).toEqual([["a.txt", "abc"]])
    expect(slack.lengths).toEqual(["3"])
    const {items} = await host.get("/api/outbox", {limit: 1})
    await until("the file to be sent with this message", async () => {
      const {platformIds} = await host.get("/api/outbox/:id", {id: items[0]?.id ?? ""})
      return platformIds.includes(ts)
    })
    await slack.say("!mention")
    const {text} = await slack.untilHeard("to @U0ANN not <!channel> *x*")
    expect(text).toBe("to <@U0ANN> not &lt;!channel&gt; *x*")
    await slack.say("!card")
    const {blocks} = await slack.untilHeard("one\ntwo <@43>Build <7>\nIt failed.\n*Branch*\nmain")
    expect(blocks.map(({type}) => type)).toEqual(["rich_text", "header", "rich_text", "section"])
    // Slack rejects the blocks, because it cannot open the picture.
    await slack.say("!unseen")
    await slack.untilHeard("Unseen\n[img]")
  })

  test("handles a slash command", async () => {
    const {slack} = running()
    const command = {command: "/greet", text: "Slash", user_id: "U0ANN", channel_id: "C0ROOM", trigger_id: "7.8.9"}
    expect(await slack.deliver("slash_commands", command)).toBe(true)
    await slack.untilHeard("hello Slash")
  })

  test("accepts signed HTTP requests, stores each event once, and answers Slack's challenge", async () => {
    const {slack, host} = running()
    const hook = `${host.url}/hooks/slack/slack~http`
    const post = (body: string, type = "application/json", headers: Record<string, string> = {}) =>
      fetch(hook, {method: "POST", body, headers: {...signedHeaders(body, type), ...headers}})
    const challenge = await post(JSON.stringify({type: "url_verification", challenge: "what is sent back"}))
    expect(await challenge.json()).toEqual({challenge: "what is sent back"})
    const event = JSON.stringify(slack.wrap(slack.add("!greet Http")))
    expect((await post(event, "application/json", {"x-slack-signature": `v0=${"0".repeat(64)}`})).status).toBe(403)
    expect((await post(event)).status).toBe(200)
    expect((await post(event, "application/json", {"x-slack-retry-num": "1"})).status).toBe(200)
    await slack.untilHeard("hello Http")
    const form = "application/x-www-form-urlencoded"
    const command = {command: "/greet", text: "Form", user_id: "U0ANN", channel_id: "C0ROOM", trigger_id: "1.1.1"}
    expect((await post(new URLSearchParams(command).toString(), form)).status).toBe(200)
    await slack.untilHeard("hello Form")
    expect((await post(new URLSearchParams({payload: "{tru"}).toString(), form)).status).toBe(400)
    expect((await post("[]")).status).toBe(200)
    expect(slack.heard().filter(({shown}) => shown === "hello Http")).toHaveLength(1)
    expect((await fetch(hook)).status).toBe(405)
  })

  test("skips malformed events and keeps answering", async () => {
    const {slack, host} = running()
    slack.write("null")
    slack.write('{"type":"events_api","envelope_id":"x","payload":nul')
    slack.write('{"type":"events_api","envelope_id":"x","payload":null}')
    slack.write('{"type":"events_api","envelope_id":"x","payload":{"event":{"type":"disconnected"}}}')
    // On Node it ends the connection, as the conformance suite checks.
    if (runtime.name === "bun") slack.write(JSON.stringify({type: "hello", huge: "x".repeat(10_000_000)}))
    const before = slack.acknowledged.length
    await slack.deliver("events_api", {event: {type: "message", text: 5, channel: []}})
    await slack.deliver("events_api", slack.wrap({type: "something_new", channel: "C0ROOM"}))
    await slack.deliver("interactive", {type: "view_closed"})
    expect(slack.acknowledged.length).toBe(before + 3)
    await slack.say("!greet Junk")
    await slack.untilHeard("hello Junk")
    expect(slack.connections).toBe(1)
    expect(host.process.output()).not.toMatch(/unhandled|xox[bp]-|xapp-/i)
  })

  test("svc adapter check names each missing scope and how to add it", async () => {
    const {slack, host} = running()
    const check = () => svc(runtime, host.project, ["adapter", "check", "slack~team"], {env: environment})
    expect(await check()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("credentials: helper in the workspace Team"),
    })
    const all = slack.scopes
    onTestFinished(() => {
      slack.scopes = all
    })
    slack.scopes = all.filter(scope => scope !== "files:read" && scope !== "commands")
    const {code, stdout} = await check()
    expect(code).toBe(1)
    expect(stdout).toContain("ERROR   scope files:read: missing; ")
    expect(stdout).toMatch(/\bAdd files:read\b.*\bBot Token Scopes\b/)
    expect(stdout).not.toContain("scope commands")
    expect((await untilSlack(host, "online")).state).toBe("online")
  })
})
