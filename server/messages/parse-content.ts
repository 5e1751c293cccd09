import {Parser} from "htmlparser2"
import type {Element, Node} from "../../shared/elements.ts"

/** Deeper nesting is flattened into its innermost allowed element. */
const deepest = 32

interface Open {
  readonly type: string
  readonly attrs: Record<string, string | boolean>
  readonly children: Node[]
}

/**
 * The tree of a Satori content string. Anything is accepted: what is not markup is text, an element that is not closed
 * ends with its parent. Linear in the length of the text, whatever it holds.
 */
export const parseContent = (content: string): readonly Node[] => {
  if (!content.includes("<") && !content.includes("&")) return content === "" ? [] : [content]
  const root: Open = {type: "", attrs: {}, children: []}
  const stack: Open[] = [root]
  const top = () => stack.at(-1) ?? root
  const parser = new Parser(
    {
      onopentag: (type, attributes) => {
        const element: Open = {
          type,
          attrs: Object.fromEntries(Object.entries(attributes).map(toAttribute)),
          children: [],
        }
        top().children.push(element as Element)
        stack.push(stack.length < deepest ? element : top())
      },
      ontext: text => append(top().children, text),
      onclosetag: () => {
        if (stack.length > 1) stack.pop()
      },
    },
    {xmlMode: true, decodeEntities: true},
  )
  parser.end(content)
  return root.children
}

/** In Satori `flag` is true, `no-flag` is false. */
const toAttribute = ([name, value]: [string, string]): [string, string | boolean] => {
  if (value !== "") return [name, value]
  return name.startsWith("no-") ? [name.slice(3), false] : [name, true]
}

const append = (children: Node[], text: string) => {
  const last = children.at(-1)
  if (typeof last === "string") children[children.length - 1] = last + text
  else children.push(text)
}
