import {definePlugin, Secret, type Static, type TSchema, Type} from "svc-runtime"

const Config = Type.Object({word: Type.Optional(Type.String()), of: Type.Union([Type.Literal(1), Type.Null()])})
const config: Static<typeof Config> = {word: "a", of: 1}
const any: unknown = {} as Static<TSchema>
// @ts-expect-error: not one of the values
config.of = 2

export const configured = [
  definePlugin({config: Config, setup: (_, {word}) => void word?.length}),
  // @ts-expect-error: the value is optional
  definePlugin({config: Config, setup: (_, {word}) => void word.length}),
  // @ts-expect-error: the configuration has no such key
  definePlugin({config: Config, setup: (_, {words}) => void words}),
  // @ts-expect-error: a function for another configuration
  definePlugin({config: Config, setup: (_, given: {readonly word: number}) => void given}),
  any,
]

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export default definePlugin({
  setup(plugin) {
    plugin.command("roll <sides:integer> [times:integer] [why:text]", ({args}) => {
      const sides: number = args.sides
      const times: number | undefined = args.times
      const why: string | undefined = args.why
      return `${sides} ${times} ${why}`
    })
    plugin.command("say <what>", {description: "Say it"}, ({args}) => args.what.toUpperCase())
    // @ts-expect-error: an argument's type is mistyped
    plugin.command("roll <sides:itneger>", () => "")
    // @ts-expect-error: an unknown type after a known one
    plugin.command("roll <sides:integer> [why:txt]", {description: "Roll"}, () => "")
    // @ts-expect-error: there is no such argument
    plugin.command("roll <sides:integer>", ({args}) => String(args.side))
    const pattern: string = "known only when it runs <n:integer>"
    plugin.command(pattern, () => "")

    plugin.on("message-created", () => {})
    plugin.on("reaction-added", {name: "stars"}, () => {})
    plugin.on("forge/pushed", () => {})
    plugin.on("message-created", {channel: ["a", "b"], user: "ann", platform: "irc", endpoint: "home"}, () => {})
    // @ts-expect-error: an event has no such part
    plugin.on("message-created", {chanel: "a"}, () => {})
    // @ts-expect-error: an event that Satori does not have
    plugin.on("mesage-created", () => {})
    // @ts-expect-error: the same with a definition
    plugin.on("message-create", {retries: 1}, () => {})

    plugin.on("forge/push", {data: Type.Object({ref: Type.String()}), name: "push"}, ({data, session}) => {
      const ref: string = data.ref
      // @ts-expect-error: the payload has no such field
      return session.send(ref + data.other)
    })
    // @ts-expect-error: a message has no payload
    plugin.on("message-created", {data: Type.String()}, ({data}) => data)
    const secret = new Secret("from the configuration")
    plugin.webhook(
      "push",
      {verify: {by: "github", secret}, user: {field: "sender.login"}, data: Type.Object({ref: Type.String()})},
      ({data, type, session}) => {
        const ref: string = data.ref
        // @ts-expect-error: the body has no such field
        return session.send({endpoint: "sandbox", channel: "dev"}, `${type} ${ref} ${data.other}`)
      },
    )
    const mac = {by: "hmac", header: "x-mac", encoding: "base64", timestamp: "x-time", secret: [secret]} as const
    plugin.webhook("any", {verify: mac, id: ({headers}) => headers.get("x-id") ?? undefined}, ({data}) => {
      // @ts-expect-error: without a schema, the body is unknown
      return data.ref
    })
    // @ts-expect-error: an unknown scheme
    plugin.webhook("push", {verify: {by: "gitlub", secret}}, () => {})
    // @ts-expect-error: a secret that the configuration shows
    plugin.webhook("push", {verify: {by: "github", secret: "hunter2"}}, () => {})

    plugin.on("message-created", async session => {
      const quoted = await session.quoted()
      if (quoted?.outbox !== undefined) await session.edit(quoted.outbox, `${quoted.text} ${session.guild?.name}`)
      // @ts-expect-error: a message may quote none
      return quoted.text
    })
    plugin.action("menu", {expires: "never"}, ({session}) => session.update("Chosen.").then(() => {}))
    // @ts-expect-error: neither seconds nor never
    plugin.action("menu", {expires: "forever"}, () => {})
    const remind = plugin.timer("remind", {data: Type.Object({text: Type.String()})}, () => {})
    plugin.on("message-created", async session => {
      const [first, ...others] = await session.timers(remind, "channel")
      const text: string | undefined = first?.data.text
      // @ts-expect-error: the timer's data has no such field
      const other = first?.data.other
      // @ts-expect-error: a timer belongs to a user or a channel
      await session.timers(remind, "plugin")
      for (const each of others) await session.clearTimer(each)
      return `${text} ${other}`
    })

    const vote = plugin.action("vote", {data: Type.Object({choice: Type.String()}), once: true}, ({data}) => {
      const choice: string = data.choice
      // @ts-expect-error: the button stores no such field
      return choice + String(data.other)
    })
    plugin.on("message-created", () => [
      vote.button({choice: "yes"}, "Yes", {style: "danger"}),
      vote.id({choice: "no"}),
    ])
    // @ts-expect-error: a button's data must match the schema
    plugin.on("message-created", () => vote.button({choice: 1}, "One"))
    plugin.on("message-created", () => vote.select([{label: "Yes", data: {choice: "yes"}}], {placeholder: "Choose"}))
    // @ts-expect-error: an option's data must match the schema
    plugin.on("message-created", () => vote.select([{label: "One", data: {choice: 1}}]))
    // @ts-expect-error: an option without a label
    plugin.on("message-created", () => vote.select([{data: {choice: "yes"}}]))
    // @ts-expect-error: an unknown style
    plugin.on("message-created", () => vote.button({choice: "yes"}, "Yes", {style: "loud"}))
    const signup = plugin.form(
      "signup",
      {
        fields: Type.Object({name: Type.String(), age: Type.Optional(Type.Integer())}),
        labels: {name: "Your name?"},
        data: Type.Object({course: Type.String()}),
      },
      ({values, data}) => {
        const name: string = values.name
        const age: number | undefined = values.age
        // @ts-expect-error: the form has no such field
        return name + age + data.course + String(values.other)
      },
    )
    plugin.on("message-created", async session => {
      await session.form(signup, "Welcome", {course: "art"})
      await session.form(signup, ["Welcome"])
      await session.send(signup.button({course: "art"}, "Sign up"))
      // @ts-expect-error: a form's data must match its schema
      await session.form(signup, "Welcome", {course: 1})
      // @ts-expect-error: so must the data of its button
      signup.button({}, "Sign up")
    })

    const due = plugin.timer("due", {data: Type.Object({n: Type.Integer()})}, async (session, data) => {
      await session.setTimer(due, {in: data.n}, {n: data.n + 1})
    })
    const size = plugin.prompt("size", {data: Type.Object({n: Type.Integer()})}, ({answer, data, prompt, session}) =>
      answer === "" ? session.prompt(prompt, "Which size?", {n: data.n + 1}) : undefined,
    )
    plugin.on("message-created", async session => {
      await session.send({endpoint: "irc", channel: "#a"}, "Hello", {notAfter: 1})
      await session.sendNow(["Hello"], {notAfter: 1})
      // @ts-expect-error: the target comes first
      await session.send("Hello", {endpoint: "irc", channel: "#a"})
      // @ts-expect-error: the same at once
      await session.sendNow("Hello", {endpoint: "irc", channel: "#a"})
      // @ts-expect-error: a target without content
      await session.send({endpoint: "irc", channel: "#a"})
      await session.prompt(size, "Which size?", {n: 1})
      await session.setTimer(due, {in: 1}, {n: 1}, {key: "due"})
      await plugin.setTimer(due, {in: 1, target: {endpoint: "irc"}}, {n: 1})
      // @ts-expect-error: the name of a prompt
      await session.prompt("size", "Which size?", {n: 1})
      // @ts-expect-error: a prompt's data must match its schema
      await session.prompt(size, "Which size?", {n: "1"})
      // @ts-expect-error: a timer is no prompt
      await session.prompt(due, "Which size?", {n: 1})
      // @ts-expect-error: nor is a form
      await session.prompt(signup, "Which size?", {course: "art"})
      // @ts-expect-error: the name of a form
      await session.form("signup", "Welcome")
      // @ts-expect-error: an action is no form
      await session.form(vote, "Welcome", {choice: "yes"})
      // @ts-expect-error: the name of a timer
      await session.setTimer("due", {in: 1}, {n: 1})
      // @ts-expect-error: the same outside of a handler
      await plugin.setTimer("due", {in: 1}, {n: 1})
      // @ts-expect-error: a timer's data must match its schema
      await session.setTimer(due, {in: 1}, {n: "1"})
      // @ts-expect-error: a prompt is no timer
      await session.setTimer(size, {in: 1}, {n: 1})
    })
    // @ts-expect-error: a label for an unknown field
    plugin.form("other", {fields: Type.Object({name: Type.String()}), labels: {nome: "Nome"}}, () => {})
    const shirt = Type.Union([Type.Literal("S"), Type.Literal(1)])
    plugin.form("size", {fields: Type.Object({shirt}), choices: {shirt: {S: "Small", 1: "One"}}}, () => {})
    // @ts-expect-error: the field has no such choice
    plugin.form("sizes", {fields: Type.Object({shirt}), choices: {shirt: {XS: "Tiny"}}}, () => {})
    plugin.command("ban", {permission: "admin", channel: ["team"], endpoint: "work"}, () => {})
    plugin.on("forge/github", {type: "push", data: Type.String()}, ({data}) => data.trim())
    // @ts-expect-error: a form needs fields
    plugin.form("empty", {expires: 60}, () => {})
    // @ts-expect-error: who must be anyone or asked
    plugin.action("other", {who: "admin"}, () => {})
    plugin.action("buy", {permission: "admin"}, () => {})
    // @ts-expect-error: there is no such permission
    plugin.action("sell", {permission: "root"}, () => {})
  },
})
