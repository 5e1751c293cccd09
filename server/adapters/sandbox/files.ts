import {type Endpoint, fileHeaders, isElement, type Node, type StoredFile} from "../../../shared/sdk/sdk.ts"

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

/** A file as an answer: what could be active in a browser is saved, not shown. */
export const answerWith = (file: StoredFile): Response =>
  new Response(file.stream(), {headers: fileHeaders(file, {show: true})})
