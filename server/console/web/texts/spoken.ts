type Text = string | readonly string[] | ((...given: never[]) => string)
interface Tree {
  readonly [key: string]: Text | Tree | undefined
}

const isText = (part: Text | Tree | undefined): part is Text =>
  typeof part === "string" || typeof part === "function" || Array.isArray(part)

/**
 * The table `basis` with each text read from what `table` returns at that moment, and from `basis` itself where that lacks
 * it. A part of it may be kept: its texts are those of the language that is spoken when they are read.
 */
export const spoken = (basis: Tree, table: () => Tree | undefined): Tree =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(basis).map(([key, part]): [string, PropertyDescriptor] => {
        if (part === undefined || isText(part)) return [key, {enumerable: true, get: () => table()?.[key] ?? part}]
        const below = () => {
          const found = table()?.[key]
          return isText(found) ? undefined : found
        }
        return [key, {enumerable: true, value: spoken(part, below)}]
      }),
    ),
  )
