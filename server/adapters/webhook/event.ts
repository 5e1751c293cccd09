import {
  channelType,
  type DatedIncoming,
  type Element,
  fileElement,
  Problem,
  parseJson,
  renderContent,
} from "../../../shared/sdk/sdk.ts"

/**
 * The prefix of the types that this adapter sends. It accepts none of them, so that no partner can return them to their
 * sender.
 */
export const ownTypes = "svc."

const defaults = {channel: "webhook", user: "webhook"} as const

/**
 * Converts a signed body to an event. Throws `request_invalid`.
 * - A body with a `text`, and with no `type` but `message-created`, is a message. `channel`, `user` and `name` are its
 *   place and author, and `group: true` marks a group channel. Its `files` are `{src, name, type}`; the Host reads them
 *   when a plugin does.
 * - Any other object is the partner's own event: Satori's `internal`, with `type` as `_type` and the body as `_data`.
 */
export const toIncoming = (id: string, timestamp: number, body: string): DatedIncoming => {
  const data = parse(body)
  const type = text(data, "type")
  if (type?.startsWith(ownTypes))
    throw new Problem("request_invalid", `type: only a Host sends ${ownTypes}…; this endpoint does not accept it`)
  const isMessage = (type ?? "message-created") === "message-created" && (type !== undefined || "text" in data)
  const raw = {type: type ?? "webhook", data}
  if (!isMessage) return {id, type: "internal", timestamp, ...placeOf(data), raw}
  const message = text(data, "text")
  if (message === undefined) throw new Problem("request_invalid", "text: required for a message")
  const channel = {
    id: text(data, "channel") ?? defaults.channel,
    type: flag(data, "group") ? channelType.text : channelType.direct,
  }
  const name = text(data, "name")
  return {
    id,
    type: "message-created",
    timestamp,
    channel,
    user: {id: text(data, "user") ?? defaults.user, ...(name === undefined ? {} : {name})},
    message: {id, content: renderContent([message, ...filesIn(data)])},
    raw,
  }
}

const mostFiles = 20

const filesIn = ({files = []}: Body): readonly Element[] => {
  if (!Array.isArray(files) || files.length > mostFiles)
    throw new Problem("request_invalid", `files: expected a list of at most ${mostFiles}`)
  return files.map((file: unknown, index) => {
    const {src, name, type} = typeof file === "object" && file !== null ? (file as Body) : {}
    if (typeof src !== "string" || !/^https?:\/\//i.test(src) || !URL.canParse(src))
      throw new Problem("request_invalid", `files[${index}].src: expected an address, https://…`)
    return fileElement({src, name: isName(name) ? name : undefined, type: isName(type) ? type : undefined})
  })
}

type Body = Readonly<Record<string, unknown>>

const parse = (body: string): Body => {
  if (body === "") throw new Problem("request_invalid", "the body is empty; it must be a JSON object")
  const value = parseJson(body)
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Body
  throw new Problem("request_invalid", "the body must be a JSON object")
}

/** A partner's own event may name places in any form. Only plain text is used. */
const placeOf = (data: Body): Pick<DatedIncoming, "channel" | "user"> => {
  const {channel, user} = data
  return {
    ...(isName(channel) ? {channel: {id: channel, type: channelType.text}} : {}),
    ...(isName(user) ? {user: {id: user}} : {}),
  }
}

const isName = (value: unknown): value is string => typeof value === "string" && value !== "" && !value.includes("\0")

const text = (data: Body, key: string): string | undefined => {
  const value = data[key]
  if (value === undefined) return undefined
  if (key === "text" ? typeof value === "string" : isName(value)) return value as string
  throw new Problem("request_invalid", `${key}: expected non-empty text`)
}

const flag = (data: Body, key: string): boolean => {
  const value = data[key] ?? false
  if (typeof value === "boolean") return value
  throw new Problem("request_invalid", `${key}: expected true or false`)
}
