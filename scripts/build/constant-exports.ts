import typescript from "typescript"

/**
 * Replaces the exports of a module by one object of CommonJS, `svcModule.exports`. Bun would make two getters for each export,
 * which takes it a twentieth of a start. Throws if the module assigns to one of its exports, or to another variable of that
 * name: a module that gets the exports by a call would not see the new value.
 */
export const exportConstants = (file: string, text: string): string => {
  const source = typescript.createSourceFile(file, text, typescript.ScriptTarget.Latest)
  const exports = source.statements.flatMap(exportsOf)
  const exported = new Set(exports.map(({name, propertyName}) => (propertyName ?? name).text))
  const visit = (node: typescript.Node): void => {
    const name = assignedBy(node)
    if (name !== undefined && exported.has(name)) throw new Error(`${file} exports ${name} and assigns to it`)
    typescript.forEachChild(node, visit)
  }
  visit(source)
  const own = source.statements.filter(statement => exportsOf(statement).length === 0)
  const named = exports.map(({name, propertyName}) => `${name.text}: ${(propertyName ?? name).text}`)
  return `${own.map(statement => statement.getFullText(source)).join("")}\nsvcModule.exports = {${named.join(", ")}}\n`
}

const exportsOf = (statement: typescript.Statement): readonly typescript.ExportSpecifier[] => {
  if (!typescript.isExportDeclaration(statement)) return []
  const clause = statement.exportClause
  if (clause === undefined || !typescript.isNamedExports(clause)) return []
  return [...clause.elements]
}

/** Returns the name to which a node assigns, also by `++` and `--`. */
const assignedBy = (node: typescript.Node): string | undefined => {
  const {FirstAssignment, LastAssignment, PlusPlusToken, MinusMinusToken} = typescript.SyntaxKind
  const isAssignment =
    typescript.isBinaryExpression(node) &&
    node.operatorToken.kind >= FirstAssignment &&
    node.operatorToken.kind <= LastAssignment
  if (isAssignment) return nameOf(node.left)
  const isUnary = typescript.isPrefixUnaryExpression(node) || typescript.isPostfixUnaryExpression(node)
  return isUnary && [PlusPlusToken, MinusMinusToken].includes(node.operator) ? nameOf(node.operand) : undefined
}

const nameOf = (node: typescript.Node) => (typescript.isIdentifier(node) ? node.text : undefined)
