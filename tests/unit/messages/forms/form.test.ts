import {expect, test} from "vitest"
import type {Question} from "../../../../server/inbox/prompts.ts"
import {createDispatch} from "../../../../server/messages/dispatch.ts"
import {createForm, type FormDeclaration} from "../../../../server/messages/forms/form.ts"
import type {Handler} from "../../../../server/messages/handler.ts"
import {createMessageTable} from "../../../../server/messages/table.ts"
import {HostTexts} from "../../../../server/messages/texts/host-texts.ts"
import {textOf} from "../../../../shared/sdk/elements.ts"
import {channelType, type SatoriEvent} from "../../../../shared/sdk/satori.ts"
import type {Session} from "../../../../shared/sdk/session.ts"
import {Type} from "../../../../shared/type.ts"
import {log} from "../../../support/host/silence.ts"
import {ableEndpoints} from "../../../support/messages/endpoint-acts.ts"

const signup: FormDeclaration = {
  name: "signup",
  promptId: "root/club/prompt/signup",
  actionId: "root/club/action/signup",
  definition: {
    fields: Type.Object({
      name: Type.String({title: "Your name?", minLength: 2}),
      size: Type.Union([Type.Literal("S"), Type.Literal("M")], {title: "Shirt"}),
      age: Type.Optional(Type.Integer({title: "Your age?", minimum: 18, description: "For the insurance"})),
      seats: Type.Optional(Type.Integer({default: 1})),
    }),
    labels: {seats: {in: (language: string) => (language === "de" ? "Plätze" : "Seats")}},
    data: Type.Object({course: Type.String()}),
  },
  handle: ({values, data}) => `${JSON.stringify(values)} for ${JSON.stringify(data)}`,
}

/** One user who talks to a plugin with this form; "join" begins it. */
const talk = (declared: FormDeclaration, data: unknown = {course: "art"}) => {
  const handler = (id: string): Handler => ({
    id,
    log,
    signal: new AbortController().signal,
    run: async work => work(),
    plugin: {name: "club", database: {table: name => name, read: async () => []}, prompt: () => undefined},
  })
  const tableOf = (of: FormDeclaration) => {
    const form = createForm(of, new HostTexts())
    const join = (session: Session) =>
      session.text === "join" ? session.form(of.name, "Welcome.", data).then(() => {}) : undefined
    return createMessageTable({
      prefixes: ["/"],
      commands: [],
      handlers: [{...handler("root/club/handler/message-created.0"), type: "message-created", handle: join}],
      prompts: [{...handler(of.promptId), prompt: form.prompt}],
      forms: [form],
      permissionOf: () => "user",
      log,
    })
  }
  let table = tableOf(declared)
  let open: Question | undefined
  const dispatch = createDispatch({current: () => table, endpoints: ableEndpoints, settled: async () => {}, log})
  return {
    change: (to: FormDeclaration) => {
      table = tableOf(to)
    },
    say: async (content: string): Promise<string | readonly string[]> => {
      const event: SatoriEvent = {
        sn: 1,
        type: "message-created",
        timestamp: 0,
        login: {platform: "sandbox"},
        channel: {id: "c", type: channelType.direct},
        user: {id: "ann"},
        message: {id: "m", content},
      }
      const answered = open
      const [id = ""] = dispatch.match(event, answered?.handler)
      const outcome = await dispatch.run({endpoint: "sandbox", event}, id, {
        sendNow: async draft => draft.id,
        sent: async () => undefined,
        question: async () => answered,
        next: async () => {},
      })
      if (outcome.is !== "handled") return outcome.is === "failed" ? outcome.error : outcome.is
      open = outcome.questions?.[0]
      return outcome.sends.map(draft => (draft.kind === "message" ? textOf(draft.content) : draft.kind))
    },
  }
}

test("a form asks its fields in order, a wrong answer again, and hands over the values once", async () => {
  const {say} = talk(signup)
  expect(await say("join")).toEqual(["Welcome.\nYour name?"])
  expect(await say("A")).toEqual(["The answer must have at least 2 characters.\nYour name?"])
  expect(await say("Ann &lt;b&gt;")).toEqual(["Shirt (S or M)"])
  expect(await say("XL")).toEqual(['The answer must be S or M, not "XL".\nShirt (S or M)'])
  const age = 'Your age?\nFor the insurance\nAnswer "skip" to leave it out.'
  expect(await say("m")).toEqual([age])
  expect(await say("17")).toEqual([`The answer must be at least 18.\n${age}`])
  expect(await say("skip")).toEqual(['Seats\nAnswer "skip" to leave it out.'])
  expect(await say("skip")).toEqual(['{"name":"Ann <b>","size":"M","seats":1} for {"course":"art"}'])
  expect(await say("anything")).toEqual([])
})

test("the word of a form ends it, and nothing is handed over", async () => {
  const {say} = talk(signup)
  await say("join")
  expect(await say("cancel")).toEqual(["Cancelled."])
  expect(await say("Ann")).toEqual([])
  const own = talk({...signup, definition: {...signup.definition, cancel: "stop"}})
  await own.say("join")
  expect(await own.say("cancel")).toEqual(["Shirt (S or M)"])
  expect(await own.say("Stop")).toEqual(["Cancelled."])
})

test("a form whose plugin changes between two answers asks what is missing and what no longer fits", async () => {
  const {say, change} = talk(signup)
  await say("join")
  await say("Ann")
  const {fields: _, labels: __, ...rest} = signup.definition
  const fields = Type.Object({
    name: Type.String({title: "Your name?", minLength: 5}),
    mail: Type.String({title: "Your address?"}),
  })
  change({...signup, definition: {...rest, fields}})
  // What was asked is no field any more.
  expect(await say("M")).toEqual(["Your name?"])
  expect(await say("Ann Lee")).toEqual(["Your address?"])
  expect(await say("a@b.c")).toEqual(['{"name":"Ann Lee","mail":"a@b.c"} for {"course":"art"}'])
})

test("a form refuses data that does not fit its schema, before it asks", async () => {
  expect(await talk(signup, {course: 1}).say("join")).toMatch(
    /what root\/club\/prompt\/signup keeps does not fit its schema: course/,
  )
})

test("a form that the plugin does not declare is refused by name", async () => {
  const {say, change} = talk(signup)
  change({...signup, name: "other"})
  expect(await say("join")).toBe('the plugin declares no form "other"')
})
