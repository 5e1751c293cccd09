import {type Endpoint, isElement, type Node, type StoredFile} from "../../../shared/sdk/sdk.ts"

/** The stored files that content shows, in their order. */
export const filesIn = async (content: readonly Node[], open: Endpoint["file"]): Promise<readonly StoredFile[]> => {
  const found: StoredFile[] = []
  for (const node of content) {
    if (!isElement(node)) continue
    const file = await open(node)
    if (file !== undefined) found.push(file)
    found.push(...(await filesIn(node.children, open)))
  }
  return found
}

/** What a browser shows and does not run. */
const isPassive = (type: string): boolean =>
  /^(audio|video)\//.test(type) || /^image\/(avif|bmp|gif|jpeg|png|webp)$/.test(type)

const isMediaType = (type: string): boolean => /^[\w.+-]+\/[\w.+-]+$/.test(type)

/** A file as an answer: what could be active in a browser is saved, not shown. */
export const answerWith = (file: StoredFile): Response => {
  const type = isMediaType(file.type) ? file.type : "application/octet-stream"
  const how = isPassive(type) ? "inline" : "attachment"
  return new Response(file.stream(), {
    headers: {
      "content-type": type,
      "content-disposition": `${how}; filename*=UTF-8''${encode(file.name)}`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  })
}

/** RFC 8187. */
const encode = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
