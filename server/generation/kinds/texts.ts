import {DeclaredTexts} from "../../plugins/declarations/texts.ts"
import {declarationsOf, type Setup} from "./kind.ts"

export const texts = (setup: Setup) => {
  const declared: DeclaredTexts[] = []
  const declareTexts = (table: unknown): DeclaredTexts => {
    setup.begin("texts")
    const added = new DeclaredTexts(table)
    declared.push(added)
    return added
  }
  return declarationsOf({
    methods: {declareTexts},
    declared,
    finish: async () => {
      for (const each of declared) await each.load()
    },
    notes: place => declared.flatMap(each => each.notes.map(note => `${place(each.errorThere(""))}: texts(): ${note}`)),
  })
}
