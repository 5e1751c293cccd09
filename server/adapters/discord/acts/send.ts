import {createHash} from "node:crypto"
import {
  type Element,
  type Endpoint,
  isElement,
  type Node,
  refused,
  type Sender,
  type StoredFile,
} from "../../../../shared/sdk/sdk.ts"
import {type Api, type Ask, requireId} from "../api/api.ts"
import {idIn, payloadOf} from "../api/payload.ts"
import {componentsOf} from "../content/components.ts"
import {writeParts} from "../content/parts.ts"
import type {Written} from "../content/write.ts"
import type {SentForms} from "../interactions/forms.ts"

/** The most files that Discord accepts in one message. */
const mostFiles = 10

export interface Sending {
  readonly api: Api
  readonly endpoint: Pick<Endpoint, "file" | "log">
  readonly forms: SentForms
}

export const createSend = ({api, endpoint, forms}: Sending): Required<Pick<Sender, "send" | "edit">> => {
  const prepare = async (content: readonly Node[]) => {
    const files = await filesIn(content, endpoint)
    const {components, forms: shown, isWhole} = componentsOf(content)
    if (!isWhole) endpoint.log.warn("a message has more buttons than Discord can show; dropped the rest")
    forms.add(shown)
    return {parts: writeParts(content, element => files.has(element)), files: [...files.values()], components}
  }
  return {
    send: async ({id, channel, content}, signal) => {
      const path = `/channels/${requireId(channel, "channel")}/messages` as const
      const {parts, files, components} = await prepare(content)
      const ids: string[] = []
      for (const [number, {written}] of parts.entries()) {
        const isLast = number === parts.length - 1
        const shown = isLast ? {files, components} : {files: [], components: []}
        requireSomething(written, shown)
        const body = {
          ...bodyOf(written, shown),
          nonce: nonceOf(id, number),
          enforce_nonce: true,
          ...(written.reference === undefined
            ? {}
            : {message_reference: {message_id: written.reference, fail_if_not_exists: false}}),
        }
        const made = payloadOf(await api.ask("POST", path, {body, ...(await uploadsOf(shown.files))}, signal))
        const sent = idIn(made)
        if (sent !== undefined) ids.push(sent)
      }
      return {ids}
    },
    edit: async ({channel, message, content}, signal) => {
      const {parts, files, components} = await prepare(content)
      const [first, more] = parts
      if (first === undefined || more !== undefined) {
        throw refused("with its markup, the text is too long for one Discord message", {
          reason: "text_too_long",
          remediation: "Shorten the text. Some characters need a backslash on Discord, and the backslash counts too.",
        })
      }
      const path = `/channels/${requireId(channel, "channel")}/messages/${requireId(message, "message")}` as const
      const body = {...bodyOf(first.written, {files, components}), components}
      await api.ask("PATCH", path, {body, ...(await uploadsOf(files))}, signal)
    },
  }
}

interface Shown {
  readonly files: readonly StoredFile[]
  readonly components: readonly unknown[]
}

const requireSomething = ({text}: Written, {files, components}: Shown): void => {
  if (text !== "" || files.length > 0 || components.length > 0) return
  throw refused("Discord accepts no empty messages", {reason: "empty", remediation: "Add text to the message."})
}

const bodyOf = ({text, mentions}: Written, {files, components}: Shown) => ({
  content: text,
  allowed_mentions: mentions,
  attachments: files.map(({name}, id) => ({id, filename: name})),
  ...(components.length === 0 ? {} : {components}),
})

/**
 * Returns at most 25 characters, the same for every attempt. For some minutes, Discord creates no second message with
 * the same nonce.
 */
const nonceOf = (id: string, part: number): string =>
  createHash("sha256").update(`${id}/${part}`).digest("base64url").slice(0, 24)

const filesIn = async (
  content: readonly Node[],
  endpoint: Pick<Endpoint, "file">,
): Promise<Map<Element, StoredFile>> => {
  const found = new Map<Element, StoredFile>()
  for (const node of content.filter(isElement)) {
    const file = await endpoint.file(node)
    if (file !== undefined) found.set(node, file)
    for (const [element, inner] of await filesIn(node.children, endpoint)) found.set(element, inner)
  }
  if (found.size > mostFiles) {
    throw refused(`Discord accepts at most ${mostFiles} files in a message, not ${found.size}`, {
      reason: "too_many_files",
      remediation: "Send the files in several messages.",
    })
  }
  return found
}

const uploadsOf = async (files: readonly StoredFile[]): Promise<Pick<Ask, "files">> => ({
  files: await Promise.all(
    files.map(async file => ({
      name: file.name,
      contentType: file.type,
      data: new Uint8Array(await new Response(file.stream()).arrayBuffer()),
    })),
  ),
})
