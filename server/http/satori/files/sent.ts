import {mediaTypeOf} from "../../../../shared/media-types.ts"
import {Problem} from "../../../../shared/problems.ts"
import {
  changeElements,
  type Element,
  fileTypeOf,
  isElement,
  type Node,
} from "../../../../shared/sdk/content/elements.ts"
import {storedSource} from "../../../../shared/sdk/content/file-source.ts"
import {type OutboxDraft, shownBy, withShown} from "../../../outbox/draft.ts"
import type {Lease} from "../../../outbox/files/lease.ts"
import type {Outbox} from "../../../outbox/outbox.ts"
import {fileOfEvent} from "../protocol/events.ts"
import {type Link, readLink} from "../protocol/links.ts"
import type {FileServices} from "./services.ts"

/**
 * Wraps the outbox for applications. It replaces internal links in sent content by their files, and keeps the files
 * until the message is stored. `enqueue` throws `request_invalid` if a link leads to no file, and `file_too_large`.
 */
export const sendingFiles = (satori: FileServices): Pick<Outbox, "enqueue"> => ({
  enqueue: async draft => {
    if (!shownBy(draft).some(hasLink)) return satori.outbox.enqueue(draft)
    const lease = satori.files.lease()
    try {
      const change = (element: Element) => resolve(element, draft, lease, satori)
      return await satori.outbox.enqueue(await withShown(draft, nodes => changeElements(nodes, change)))
    } finally {
      lease.release()
    }
  },
})

const linkIn = ({attrs: {src}, ...element}: Element): Link | undefined =>
  fileTypeOf({attrs: {}, ...element}) !== undefined && typeof src === "string" ? readLink(src) : undefined

const hasLink = (node: Node): boolean => isElement(node) && (linkIn(node) !== undefined || node.children.some(hasLink))

const resolve = async (
  element: Element,
  {endpoint}: OutboxDraft,
  lease: Lease,
  satori: FileServices,
): Promise<Element> => {
  const link = linkIn(element)
  if (link?.is === "stored") return showStored(element, link, endpoint, lease, satori)
  // For an echo, the platform needs the name that it gave the file.
  if (link?.is !== "event" || satori.logins.find(link.platform, link.user)?.endpoint !== endpoint) return element
  const file = await fileOfEvent(satori.database, endpoint, link)
  if (file === undefined) throw gone(element)
  const {src: _, ...attrs} = element.attrs
  return {...element, attrs: file.src === undefined ? attrs : {...attrs, src: file.src}}
}

const showStored = async (
  element: Element,
  {sha256, name = element.type}: Link & {is: "stored"},
  endpoint: string,
  lease: Lease,
  {files, endpoints}: FileServices,
): Promise<Element> => {
  const stored = await files.claim(sha256, lease)
  if (stored === undefined) throw gone(element)
  const {size} = stored
  const {features = [], limits = {}} = endpoints.get(endpoint)?.spec ?? {}
  const isTaken = features.includes("files")
  if (isTaken && limits.file !== undefined && size > limits.file)
    throw new Problem("file_too_large", `${name} has ${size} bytes; ${endpoint} accepts files up to ${limits.file}`)
  const {src: _, ...said} = element.attrs
  const title = String(said.title ?? name)
  const attrs = {title, type: mediaTypeOf(title), ...said, size}
  return {...element, attrs: isTaken ? {...attrs, src: storedSource(sha256)} : attrs}
}

const gone = ({attrs: {src}}: Element): Problem =>
  new Problem("request_invalid", `there is no file at ${String(src).slice(0, 200)}`, {
    hint: "Upload the file again: svc deletes a file after a day if no message contains it.",
  })
