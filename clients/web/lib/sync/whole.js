/** What a pull asks for on a copy that has never had parts: see `PartAsked`. */
export const WHOLE = Object.freeze({
    isOlder: false, mustCompare: false, isReached: () => true, isObsolete: () => false, isOfBefore: () => false,
    query: () => ({}), waiting: () => ({}),
});
