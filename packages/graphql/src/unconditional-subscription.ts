import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type ASTVisitor,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'

const CONDITIONS = ['skip', 'include']

/**
 * The rule that the root field of a subscription must not be conditional: it has only one, and without it there is nothing to
 * follow (GraphQL, September 2025, 5.2.4.1).
 */
export function unconditionalSubscription(context: ValidationContext): ASTVisitor {
  function* rootSelections({ selections }: SelectionSetNode, seen: Set<string>): Generator<SelectionNode> {
    for (const selection of selections) {
      yield selection
      if (selection.kind === Kind.INLINE_FRAGMENT) yield* rootSelections(selection.selectionSet, seen)
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue
      seen.add(selection.name.value)
      const fragment = context.getFragment(selection.name.value)
      if (fragment != null) yield* rootSelections(fragment.selectionSet, seen)
    }
  }

  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== OperationTypeNode.SUBSCRIPTION) return
      for (const selection of rootSelections(selectionSet, new Set())) {
        const condition = selection.directives?.find(({ name }) => CONDITIONS.includes(name.value))
        if (condition === undefined) continue
        const message = `@${condition.name.value} must not be used on the root field of a subscription`
        context.reportError(new GraphQLError(message, { nodes: condition }))
      }
    },
  }
}
