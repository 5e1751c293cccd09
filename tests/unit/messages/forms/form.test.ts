import {v7 as uuid} from "uuid"
import {expect, test} from "vitest"
import {shownText} from "../../../../server/adapters/sandbox/buttons.ts"
import {readButtonId} from "../../../../server/database/buttons/button-id.ts"
import type {Question} from "../../../../server/inbox/intake/prompts.ts"
import type {FormDeclaration} from "../../../../server/messages/forms/fields.ts"
import {createForm} from "../../../../server/messages/forms/form.ts"
import {oneLanguage} from "../../../../server/messages/language/languages.ts"
import {HostTexts} from "../../../../server/messages/texts/host-texts.ts"
import {presentButtons} from "../../../../server/outbox/buttons.ts"
import {type Element, h, isElement} from "../../../../shared/sdk/content/elements.ts"
import type {SatoriEvent} from "../../../../shared/sdk/content/satori.ts"
import {textOf} from "../../../../shared/sdk/content/text.ts"
import type {Session} from "../../../../shared/sdk/session/session.ts"
import {Type} from "../../../../shared/type.ts"
import {answer} from "../../../support/messages/answers.ts"
import {firstAttempt} from "../../../support/messages/attempt.ts"
import {dispatchTo, hearerOf, messageOf, plugin, runnerOf, tableOf} from "../../../support/messages/dispatching.ts"
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

/** One user who talks to a plugin with this form; "join" starts it. */
const talk = (
  declared: FormDeclaration,
  data: unknown = {course: "art"},
  hasForms = false,
  languages = oneLanguage("en"),
) => {
  const declare = (of: FormDeclaration) => {
    const form = createForm(of, new HostTexts())
    const join = (session: Session) =>
      session.text === "join" ? session.form({kind: "form", name: of.name}, "Welcome.", data).then(() => {}) : undefined
    return tableOf({
      languages,
      handlers: [hearerOf(join, {plugin})],
      prompts: [{...runnerOf(of.promptId, {plugin}), prompt: form.prompt}],
      actions: [{...runnerOf(of.actionId, {plugin}), action: form.action}],
      forms: [form],
    })
  }
  let table = declare(declared)
  let open: Question | undefined
  const asked = {endpoint: "sandbox", channel: "c", user: "id ann"}
  const endpoints = {...ableEndpoints, hasFeature: () => hasForms}
  const dispatch = dispatchTo(table, {current: () => table, endpoints})
  const handle = async (event: SatoriEvent, answered: Question | undefined) => {
    const [id = ""] = dispatch.match(event, answered?.handler)
    const outcome = await dispatch.run({endpoint: "sandbox", event}, id, {
      ...firstAttempt,
      question: async () => answered,
    })
    if (outcome.is !== "handled") return outcome.is === "failed" ? outcome.error : outcome.is
    open = outcome.questions?.[0]
    return outcome.sends.map(draft => (draft.kind === "message" ? draft.content : []))
  }
  return {
    change: (to: FormDeclaration) => {
      table = declare(to)
    },
    say: async (content: string): Promise<string | readonly string[]> => {
      const sends = await handle(messageOf(content), open)
      return typeof sends === "string" ? sends : sends.map(nodes => textOf(nodes))
    },
    /** Fills the form in, or only presses its button. Resolves to the sent messages. */
    fill: (values?: Readonly<Record<string, string>>) =>
      handle(
        messageOf("", {
          type: "interaction/button",
          button: {id: "b"},
          ...(values === undefined ? {} : {form: {values}}),
        }),
        {id: "q", handler: declared.actionId, data: JSON.stringify(data), expiresAt: 0, ...asked},
      ),
    ask: () => handle(messageOf("join"), undefined),
  }
}
test("a form asks its fields in order, repeats a wrong one, and delivers the values once", async () => {
  const {say} = talk(signup)
  expect(await say("join")).toEqual(['Welcome.\nYour name?\nAnswer "cancel" to stop.'])
  expect(await say("A")).toEqual([`${answer("form.short", {limit: "2"})}\nYour name?\nAnswer "cancel" to stop.`])
  expect(await say("Ann &lt;b&gt;")).toEqual(["Shirt (S or M)"])
  expect(await say("XL")).toEqual([`${answer("form.type", {type: "S or M", word: "XL"})}\nShirt (S or M)`])
  const age = 'Your age?\nFor the insurance\nAnswer "skip" to skip it.'
  expect(await say("m")).toEqual([age])
  expect(await say("17")).toEqual([`${answer("form.least", {limit: "18"})}\n${age}`])
  expect(await say("skip")).toEqual(['Seats\nAnswer "skip" to skip it.'])
  expect(await say("skip")).toEqual(['{"name":"Ann <b>","size":"M","seats":1} for {"course":"art"}'])
  expect(await say("anything")).toEqual([])
})

test("the cancel word ends a form, and nothing is delivered", async () => {
  const {say} = talk(signup)
  await say("join")
  expect(await say("cancel")).toEqual(["Cancelled."])
  expect(await say("Ann")).toEqual([])
  const own = talk({...signup, definition: {...signup.definition, cancel: "stop"}})
  await own.say("join")
  expect(await own.say("cancel")).toEqual(["Shirt (S or M)"])
  expect(await own.say("Stop")).toEqual(["Cancelled."])
})

test("a form whose plugin changes between two answers asks for missing and invalid values", async () => {
  const {say, change} = talk(signup)
  await say("join")
  await say("Ann")
  const {fields: _, labels: __, ...rest} = signup.definition
  const fields = Type.Object({
    name: Type.String({title: "Your name?", minLength: 5}),
    mail: Type.String({title: "Your address?"}),
  })
  change({...signup, definition: {...rest, fields}})
  // The field that was asked no longer exists.
  expect(await say("M")).toEqual(["Your name?"])
  expect(await say("Ann Lee")).toEqual(["Your address?"])
  expect(await say("a@b.c")).toEqual(['{"name":"Ann Lee","mail":"a@b.c"} for {"course":"art"}'])
})

test("a form refuses data that does not fit its schema, before it asks", async () => {
  expect(await talk(signup, {course: 1}).say("join")).toMatch(/\broot\/club\/prompt\/signup .*\bschema: course\b/)
})

test("a form that the plugin does not declare is refused by name", async () => {
  const {say, change} = talk(signup)
  change({...signup, name: "other"})
  expect(await say("join")).toContain('"other"')
})

const formIn = (sent: Awaited<ReturnType<ReturnType<typeof talk>["ask"]>>): Element => {
  const form = typeof sent === "string" ? undefined : sent[0]?.find(node => isElement(node) && node.type === "form")
  if (form === undefined || !isElement(form)) throw new Error(`no form is sent: ${JSON.stringify(sent)}`)
  return form
}

test("a platform with forms gets all fields with their limits, and a button that keeps the data", async () => {
  const {ask} = talk(signup, {course: "art"}, true)
  const sent = await ask()
  const button = formIn(sent).children.at(-1)
  const made = readButtonId(isElement(button) ? String(button.attrs.id) : "")
  expect(made).toEqual({handler: signup.actionId, data: '{"course":"art"}', expires: 3_600_000, once: 1, asked: 1})
  const message = uuid()
  const content = typeof sent === "string" ? [] : (sent[0] ?? [])
  const shown = presentButtons(content, message, {buttons: true, forms: true})
  expect(shown).toEqual([
    "Welcome.",
    h(
      "form",
      {id: `${message}:1`, label: "Fill in"},
      h("field", {name: "name", label: "Your name?", type: "text", required: true, minLength: 2}),
      h(
        "field",
        {name: "size", label: "Shirt", type: "choice", required: true},
        h("option", {value: "S"}, "S"),
        h("option", {value: "M"}, "M"),
      ),
      h("field", {
        name: "age",
        label: "Your age?",
        description: "For the insurance",
        type: "integer",
        required: false,
        minimum: 18,
      }),
      h("field", {name: "seats", label: "Seats", type: "integer", required: false, value: "1"}),
    ),
  ])
  expect(shownText(shown)).toBe("Welcome.\n[1] Fill in (name, size, age, seats)")
  // A platform that has lost the feature since then starts it with its button.
  expect(presentButtons(content, message, {buttons: true})).toEqual([
    "Welcome.",
    h("button", {id: `${message}:1`}, "Fill in"),
  ])
  expect(textOf(presentButtons(content, message, {}))).toBe("Welcome.\n1. Fill in")
})

test("submitted values are delivered once they fit; else the form returns with them", async () => {
  const {fill} = talk(signup, {course: "art"}, true)
  const wrong = await fill({name: "A", size: "XL", age: "", other: "?"})
  expect(typeof wrong === "string" ? wrong : wrong[0]?.[0]).toBe(
    `Your name? ${answer("form.short", {limit: "2"})}\nShirt: ${answer("form.type", {type: "S or M", word: "XL"})}`,
  )
  const again = formIn(wrong).children.flatMap(child => (isElement(child) ? [child.attrs.value] : []))
  expect(again).toEqual(["A", "XL", undefined, "1", undefined])
  expect(await fill({name: "Ann", size: "s", seats: "2"})).toEqual([
    ['{"name":"Ann","size":"S","seats":2} for {"course":"art"}'],
  ])
  // A press without values shows the form.
  expect(formIn(await fill()).children).toHaveLength(5)
})

const localized: FormDeclaration = {
  ...signup,
  definition: {
    fields: Type.Object({
      size: Type.Union([Type.Literal("S"), Type.Literal("M")], {title: "Shirt"}),
      news: Type.Boolean({default: true}),
    }),
    choices: {size: {S: {in: (language: string) => (language === "de" ? "Klein" : "Small")}, M: "Medium"}},
  },
}

test("users read the texts of choices, and answer with them or with the values", async () => {
  const {say} = talk(localized)
  await say("join")
  expect(await say("large")).toEqual([
    `${answer("form.type", {type: "Small or Medium", word: "large"})}\nShirt (Small or Medium)\nAnswer "cancel" to stop.`,
  ])
  expect(await say(" small ")).toEqual(["news (yes or no)"])
  expect(await say("no")).toEqual(['{"size":"S","news":false} for {"course":"art"}'])
  await say("join")
  expect(await say("m")).toEqual(["news (yes or no)"])
})

test("a platform with forms gets the texts of choices, and yes and no, in the user's language", async () => {
  const {ask, fill} = talk(localized, undefined, true, oneLanguage("de"))
  const fields = formIn(await ask()).children.filter(isElement)
  expect(fields.slice(0, 2).map(({attrs, children}) => [attrs.value, ...children])).toEqual([
    [undefined, h("option", {value: "S"}, "Klein"), h("option", {value: "M"}, "Medium")],
    ["yes", h("option", {value: "yes"}, "ja"), h("option", {value: "no"}, "nein")],
  ])
  expect(await fill({size: "S", news: "yes"})).toEqual([['{"size":"S","news":true} for {"course":"art"}']])
})

test.each([true, false])(
  "a form with a permission refuses other users, where the platform shows forms: %s",
  async has => {
    const {say, fill} = talk({...signup, definition: {...signup.definition, permission: "admin"}}, {course: "art"}, has)
    const refused = [answer("press.permission", {permission: "admin"})]
    expect(await say("join")).toEqual(refused)
    expect(await fill({name: "Ann", size: "S"})).toEqual([refused])
  },
)

test("a form with data that is too long for a button is refused", async () => {
  const {ask} = talk(signup, {course: "x".repeat(65_536)}, true)
  expect(await ask()).toMatch(/\bform signup .*\b\d{5,} .*\b65536\b/)
})
