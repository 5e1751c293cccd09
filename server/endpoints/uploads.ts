import {Problem} from "../../shared/problems.ts"
import type {Sender} from "../../shared/sdk/adapter/sender.ts"
import {changeElements, type Element, type Node} from "../../shared/sdk/content/elements.ts"
import type {StoredFile} from "../../shared/sdk/content/file-source.ts"

/** Returns the stored file that an element shows. */
export type OpenShown = (element: Element) => Promise<StoredFile | undefined>

/** Returns the sender, which sends and edits messages with changed content. */
export const withContent = (
  {send, edit, ...others}: Sender,
  change: (content: readonly Node[], channel: string, signal: AbortSignal) => Promise<readonly Node[]>,
): Sender => {
  const changing =
    <M extends {readonly content: readonly Node[]; readonly channel: string}, T>(
      act: (message: M, signal: AbortSignal) => Promise<T>,
    ) =>
    async (message: M, signal: AbortSignal): Promise<T> =>
      act({...message, content: await change(message.content, message.channel, signal)}, signal)
  return {...others, send: changing(send), ...(edit && {edit: changing(edit)})}
}

/** Uploads each stored file before its message, so that the sender gets the platform's own addresses. */
export const withUploads = (sender: Sender, open: OpenShown): Sender => {
  const {upload} = sender
  if (upload === undefined) return sender
  return withContent(sender, (content, channel, signal) =>
    changeElements(content, uploading(upload, open, channel, signal)),
  )
}

/** Uploads a file once, even if a message shows it twice. */
const uploading = (
  upload: NonNullable<Sender["upload"]>,
  open: OpenShown,
  channel: string,
  signal: AbortSignal,
): ((element: Element) => Promise<Element>) => {
  const known = new Map<string, string>()
  return async element => {
    const file = await open(element)
    if (file === undefined) return element
    const key = `${file.sha256} ${file.type} ${file.name}`
    const src = known.get(key) ?? requireAddress(await upload({file, channel}, signal))
    known.set(key, src)
    return {...element, attrs: {...element.attrs, src}}
  }
}

/** An adapter in JavaScript may resolve to any value. */
const requireAddress = (src: unknown): string => {
  if (typeof src === "string" && src !== "") return src
  throw new Problem("platform_failed", "the adapter's upload did not resolve to an address of the file")
}
