import {builtInTables} from "../../server/messages/texts/tables.ts"
import {code, page, table} from "./markdown.ts"

const intro = `svc's own chat texts in English, by the keys under \`languages.texts\` in \`svc.config.yml\`.
The values of a text stand in braces.`

export const textsPage = (): string =>
  page(
    "Texts",
    intro,
    table(
      ["Key", "English"],
      Object.entries(builtInTables.en).map(([key, text]) => [code(key), code(text)]),
    ),
  )
