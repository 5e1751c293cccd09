import {randomUUID} from "node:crypto"
import {type Endpoint, type Plugin, Problem, renderContent, Type} from "../../../shared/sdk/sdk.ts"
import {findButton, type RoomButton} from "./buttons.ts"
import type {Room} from "./room.ts"
import {placeOf, sayerFields} from "./sayers.ts"

const NewPress = Type.Object(
  {
    button: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: "The button's number in its message, its label or its id",
    }),
    message: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "The message with the button; by default, the newest one that has it. For a message from before the Host started, use the button's id",
      }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.String({maxLength: 100_000}), {
        description: "For a form: the values, by field name",
      }),
    ),
    ...sayerFields,
  },
  {title: "NewPress", additionalProperties: false},
)

const Stored = Type.Object({sn: Type.Integer(), id: Type.String(), duplicate: Type.Boolean()}, {title: "StoredPress"})

/** Publishes the route for pressing buttons in the sandbox. `endpoint` returns undefined while it is closed. */
export const routePresses = (plugin: Plugin, room: Room, endpoint: () => Endpoint | undefined): void =>
  plugin.route({
    method: "POST",
    path: "/press",
    scope: "full",
    summary: "Press a button under a message of the bot, or fill in its form; the press is durable when this returns",
    body: NewPress,
    response: Stored,
    status: 202,
    handle: async (_, call) => {
      const {button, message, values, channel = "chat", user = "you", account, locale, group} = call.body
      const {id = randomUUID(), roles} = call.body
      const found = findIn(room, channel, button, message)
      if (found.shown !== undefined) requireValues(found.shown, values)
      const opened = endpoint()
      if (opened === undefined) throw new Problem("admission_closed", "the sandbox endpoint is not open")
      const receipt = await opened.receive({
        id,
        type: "interaction/button",
        ...placeOf({channel, user, account, roles, locale, group}),
        button: {id: found.button},
        ...(values === undefined ? {} : {form: {values}}),
        message: {id: found.message, content: found.content},
      })
      return call.json(Stored, {...receipt, id}, {status: 202})
    },
  })

/** Checks the values like a platform, which opens a form and accepts values only for its fields. */
const requireValues = ({label, fields}: RoomButton, values: Readonly<Record<string, string>> | undefined): void => {
  if (fields === undefined && values !== undefined)
    throw new Problem("request_invalid", `values: ${label} is a button and accepts none`)
  if (fields !== undefined && values === undefined)
    throw new Problem(
      "request_invalid",
      `values: ${label} is a form with the fields ${fields.join(", ")}: send their values`,
      {hint: "In svc chat: /fill 1 name=Ann. In a test: bot.fill(form, values)."},
    )
  const stray = Object.keys(values ?? {}).find(name => fields?.includes(name) === false)
  if (stray !== undefined)
    throw new Problem(
      "request_invalid",
      `values.${stray}: the form has no field of this name; it has ${fields?.join(", ")}`,
    )
}

interface Found {
  readonly message: string
  /** The button's id. */
  readonly button: string
  /** The button in the message; undefined if the room no longer has the message. */
  readonly shown?: RoomButton
  /** The content of the message. */
  readonly content: string
}

/** Finds the button. A message that the room has forgotten may still have it: the Host checks the id. */
const findIn = (room: Room, channel: string, meant: string, message?: string): Found => {
  const messages = room.messages(channel)
  for (const {id, buttons, elements} of messages.toReversed()) {
    const button = message === undefined || id === message ? findButton(buttons, meant) : undefined
    if (button !== undefined) return {message: id, button: button.id, shown: button, content: renderContent(elements)}
  }
  if (message !== undefined && !messages.some(({id}) => id === message)) return {message, button: meant, content: ""}
  throw new Problem("request_invalid", `no message in ${channel} has the button ${meant}`, {
    hint: "GET /api/plugins/sandbox/messages?channel=… lists the messages and their buttons.",
  })
}
