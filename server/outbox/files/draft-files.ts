import {Problem} from "../../../shared/problems.ts"
import type {Feature, Limits} from "../../../shared/sdk/adapter/sender.ts"
import {type Element, isElement, type Node} from "../../../shared/sdk/elements.ts"
import {
  type FileSource,
  fileElements,
  fileSource,
  isFileSource,
  pathOf,
  storedSource,
} from "../../../shared/sdk/files/file-source.ts"
import {piecesIn} from "../../files/folder.ts"
import type {Lease} from "../../files/lease.ts"
import {mediaTypeOf} from "../../files/media-type.ts"
import type {PermittedFile} from "../../files/permitted.ts"
import {contentOfFile, type FileContent} from "../../files/store.ts"
import type {OutboxDraft} from "../draft.ts"

/** What drafts with files ask of the Host; passed in by the composition root. */
export interface DraftFilesOptions {
  /** What an endpoint's adapter declares; undefined for one that is not there. */
  readonly endpoint: (name: string) => {readonly features: readonly Feature[]; readonly limits: Limits} | undefined
  /** Throws `file_path_refused`. */
  readonly permitted: (path: string) => Promise<PermittedFile>
  readonly put: (content: FileContent, lease: Lease) => Promise<{readonly sha256: string; readonly size: number}>
  readonly lease: () => Lease
}

/** A file as an element names it, before it is stored. */
interface Named {
  readonly content: FileContent
  readonly name: string
  readonly type: string
}

/** Stores the files that plugins' messages show, before the messages are stored. */
export class DraftFiles {
  readonly #options: DraftFilesOptions

  constructor(options: DraftFilesOptions) {
    this.#options = options
  }

  /** Keeps the files of drafts until their rows are stored. */
  lease(): Lease {
    return this.#options.lease()
  }

  /**
   * The draft with its files durable, each named by its hash. Where the endpoint takes no files, they are not stored, and the
   * element is its name. Throws `file_path_refused`, `file_too_large`, `files_full`, `state_unwritable`.
   */
  async store(draft: OutboxDraft, lease: Lease): Promise<OutboxDraft> {
    const {features = [], limits = {}} = this.#options.endpoint(draft.endpoint) ?? {}
    const isTaken = features.includes("files")
    return withNodes(draft, async element => {
      const named = await this.#read(element)
      const {size} = named.content
      if (isTaken && limits.file !== undefined && size > limits.file) {
        throw new Problem(
          "file_too_large",
          `${named.name} has ${size} bytes; ${draft.endpoint} takes files of at most ${limits.file}`,
        )
      }
      const attrs = {title: named.name, type: named.type, size, ...element.attrs}
      if (!isTaken) return {type: element.type, attrs, children: element.children}
      const stored = await this.#options.put(named.content, lease)
      return {
        type: element.type,
        attrs: {...attrs, size: stored.size, src: storedSource(stored.sha256)},
        children: element.children,
      }
    })
  }

  async #read({type: element, attrs, [fileSource]: source}: Element): Promise<Named> {
    if (!fileElements.includes(element))
      throw new Problem(
        "content_invalid",
        `content holds <${element}> with a file as src: only ${fileElements.join(", ")} show one`,
      )
    const named = await this.#contentOf(source)
    const name = String(attrs.title ?? named.name ?? element)
    return {content: named.content, name, type: String(attrs.type ?? named.type ?? mediaTypeOf(name))}
  }

  async #contentOf(source: FileSource | undefined) {
    if (source instanceof Uint8Array) {
      // A copy: the plugin may use its own again.
      const bytes = source.slice()
      return {content: {size: bytes.length, pieces: () => piecesIn(bytes)}, name: undefined, type: undefined}
    }
    const path = pathOf(source)
    if (source === undefined || path === undefined)
      throw new Problem("content_invalid", "content holds a src that is no file")
    const {path: found, name, size} = await this.#options.permitted(path)
    return {content: contentOfFile(found, size), name: source.name ?? name, type: source.type}
  }
}

const nodesIn = (draft: OutboxDraft): readonly Node[] => {
  if (draft.kind === "message") return draft.content
  return draft.kind === "edit" ? draft.content.content : []
}

const hasSource = (node: Node): boolean =>
  isElement(node) && (isFileSource(node[fileSource]) || node.children.some(hasSource))

/** Does a draft show files that are not stored yet? */
export const hasFiles = (draft: OutboxDraft): boolean => nodesIn(draft).some(hasSource)

type Change = (element: Element) => Promise<Element>

/** One after the other: a message has few files, and each may be large. */
const changeAll = async (nodes: readonly Node[], change: Change): Promise<readonly Node[]> => {
  const changed: Node[] = []
  for (const node of nodes) {
    if (!hasSource(node) || !isElement(node)) changed.push(node)
    else {
      const children = await changeAll(node.children, change)
      changed.push(node[fileSource] === undefined ? {...node, children} : await change({...node, children}))
    }
  }
  return changed
}

const withNodes = async (draft: OutboxDraft, change: Change): Promise<OutboxDraft> => {
  if (draft.kind === "message") return {...draft, content: await changeAll(draft.content, change)}
  if (draft.kind !== "edit") return draft
  return {...draft, content: {...draft.content, content: await changeAll(draft.content.content, change)}}
}
