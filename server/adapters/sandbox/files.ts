import {type Endpoint, fileHeaders, isElement, type Node, type StoredFile} from "../../../shared/sdk/sdk.ts"

/** Returns the stored files in the content, in order. */
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

/** Returns a file as a response. Types that could run in a browser are downloaded, not shown. */
export const answerWith = (file: StoredFile): Response =>
  new Response(file.stream(), {headers: fileHeaders(file, {show: true})})
