import typescript from "typescript"

/**
 * Removes the names that a module imports from another chunk and never mentions again: esbuild imports all names of a merged
 * chunk, and each costs a start some time. The import itself stays, because it loads the chunk.
 */
export const keepUsedImports = (file: string, text: string): string => {
  const source = typescript.createSourceFile(file, text, typescript.ScriptTarget.Latest)
  const mentions = new Map<string, number>()
  for (const [word] of text.matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu))
    mentions.set(word, (mentions.get(word) ?? 0) + 1)
  let kept = ""
  let end = 0
  for (const statement of source.statements) {
    if (!typescript.isImportDeclaration(statement)) continue
    const named = statement.importClause?.namedBindings
    if (named === undefined || !typescript.isNamedImports(named) || statement.importClause?.name !== undefined) continue
    const module = statement.moduleSpecifier.getText(source)
    if (!module.startsWith('"./')) continue
    const isUsed = ({name, propertyName}: typescript.ImportSpecifier) =>
      (mentions.get(name.text) ?? 0) > 1 || propertyName?.text === name.text
    const used = named.elements.filter(isUsed).map(each => each.getText(source))
    kept += `${text.slice(end, statement.getStart(source))}import ${used.length === 0 ? "" : `{${used.join(", ")}} from `}${module};`
    end = statement.end
  }
  return `${kept}${text.slice(end)}`
}
