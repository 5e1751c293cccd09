import {type DatedIncoming, renderContent, type User} from "../../../../shared/sdk/sdk.ts"
import {idIn, type Payload, payloadOf, payloadsIn, textIn, timeOf, tsIn} from "../api/payload.ts"
import {placedAt} from "../api/place.ts"
import {actionPrefix} from "../content/blocks.ts"
import {readText} from "../content/read.ts"

const userOf = (id: string, name: string | undefined): User => ({id, ...(name === undefined ? {} : {name})})

/**
 * Returns presses of svc's own buttons, menus and forms.
 * (https://docs.slack.dev/reference/interaction-payloads/block_actions-payload)
 */
export const readInteraction = (body: Payload): readonly DatedIncoming[] => {
  const [user, channel, message] = [payloadOf(body.user), payloadOf(body.channel), payloadOf(body.message)]
  const [by, where] = [idIn(user, "id"), idIn(channel, "id")]
  const ts = tsIn(message, "ts") ?? tsIn(payloadOf(body.container), "message_ts")
  if (body.type !== "block_actions" || by === undefined || where === undefined || ts === undefined) return []
  const thread = tsIn(message, "thread_ts") ?? tsIn(payloadOf(body.container), "thread_ts")
  return payloadsIn(body, "actions").flatMap((action, n): readonly DatedIncoming[] => {
    const [name = "", at] = [textIn(action, "action_id"), tsIn(action, "action_ts")]
    const id = pressedIn(action, name)
    if (id === undefined || at === undefined) return []
    return [
      {
        id: `press/${where}/${ts}/${by}/${at}/${n}`,
        type: "interaction/button",
        timestamp: timeOf(at),
        ...placedAt(where, thread === ts ? undefined : thread, textIn(channel, "name")),
        user: userOf(by, textIn(user, "username") ?? textIn(user, "name")),
        message: {id: ts, content: renderContent(readText(textIn(message, "text") ?? ""))},
        button: {id},
        ...(name.startsWith(actionPrefix.form) ? {form: {values: filledIn(body, name)}} : {}),
        raw: {type: "block_actions", data: body},
      },
    ]
  })
}

const pressedIn = (action: Payload, name: string): string | undefined => {
  if (name.startsWith(actionPrefix.select)) return textIn(payloadOf(action.selected_option), "value")
  const isButton = name.startsWith(actionPrefix.button) || name.startsWith(actionPrefix.form)
  return isButton ? textIn(action, "value") : undefined
}

/** Returns the values of the form whose button was pressed. */
const filledIn = (body: Payload, button: string): Readonly<Record<string, string>> => {
  const prefix = `${actionPrefix.field}${button.slice(actionPrefix.form.length)}-`
  const blocks = Object.values(payloadOf(payloadOf(body.state).values))
  return Object.fromEntries(
    blocks.flatMap(block =>
      Object.entries(payloadOf(block)).flatMap(([name, field]): readonly [string, string][] => {
        if (!name.startsWith(prefix)) return []
        const {selected_option: chosen, value} = payloadOf(field)
        const text = textIn(payloadOf(chosen), "value") ?? (typeof value === "string" ? value : "")
        return [[name.slice(prefix.length), text]]
      }),
    ),
  )
}

/**
 * Returns a slash command as a message with its text
 * (https://docs.slack.dev/interactivity/implementing-slash-commands).
 */
export const readCommand = (body: Payload, now = Date.now()): readonly DatedIncoming[] => {
  const [by, where] = [idIn(body, "user_id"), idIn(body, "channel_id")]
  const [command, id] = [textIn(body, "command"), textIn(body, "trigger_id")]
  if (by === undefined || where === undefined || command === undefined || id === undefined) return []
  const text = `${command} ${typeof body.text === "string" ? body.text : ""}`.trim()
  const name = textIn(body, "channel_name")
  return [
    {
      id: `command/${id}`,
      type: "message-created",
      timestamp: now,
      ...placedAt(where, undefined, name === "directmessage" ? undefined : name),
      user: userOf(by, textIn(body, "user_name")),
      message: {id: `command/${id}`, content: renderContent(readText(text))},
      raw: {type: "slash_command", data: body},
    },
  ]
}
