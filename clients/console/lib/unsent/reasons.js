// Why the server did not take an edit, in words.

const TEXTS = new Map([
    ['conflict', 'Somebody else has changed this since the edit began, so it was left alone.'],
    ['deleted', 'The row was deleted before the edit arrived.'],
    ['parent_deleted', 'What the row belongs to was deleted.'],
    ['not_found', 'The server does not have the row.'],
    ['collection_removed', 'The server does not have the collection any more.'],
    ['restored', 'The server was restored from a backup that does not have this.'],
    ['membership_revoked', 'You are no longer a member of the project.'],
    ['project_deleted', 'The project was deleted.'],
    ['project_archived', 'The project is archived.'],
    ['field_forbidden', 'Your role may not change this field.'],
    ['forbidden', 'Your role may not do this.'],
    ['not_unique', 'There is already a row with these values.'],
    ['read_only_field', 'Only the server writes these fields, or they can be set only once.'],
    ['overwritten', 'Somebody else\'s later edit was kept.'],
    ['repaired', 'The server corrected the value.'],
    ['unknown_field', 'The server has no such field.'],
    ['in_use', 'Other rows still need it.'],
    ['inconsistent', 'Fields of the row contradict each other.'],
    ['required', 'Something that the row needs is missing.'],
    ['wrong_type', 'The value has the wrong type.'],
    ['not_in_enum', 'It is none of the allowed values.'],
    ['too_long', 'It is too long.'],
    ['out_of_range', 'The number is out of range.'],
    ['bad_format', 'The value does not have the right form.'],
    ['unknown_reference', 'It refers to a row that is not there.'],
    ['unknown_user', 'The user is no member of the project.'],
    ['cyclic_parent', 'The row would be its own ancestor.'],
    ['quota_exceeded', 'The project has as many rows as it may have. Delete some, or ask the operator.'],
    ['row_too_large', 'The row has more bytes than a row may have.'],
    ['sight_too_large', 'It would change who sees too many rows at once.'],
    ['cyclic_dependency', 'The dependency would close a circle.'],
    ['id_unavailable', 'The id can\'t be used.'],
]);

/** A code of the protocol as a sentence. */
export const reasonText = code => TEXTS.get(code) ?? `The server did not take it (${code}).`;

/**
 * Reasons as `{ label, text }`, without repetitions; `label` is the field's, empty for the whole row. Codes that are
 * clearer in the console's own words are in those.
 */
export function reasonLines(collection, reasons) {
    const lines = reasons.map(({ field, code, detail }) => ({
        label: field === null ? '' : collection?.field(field)?.label ?? field,
        text: code === 'conflict' || !detail ? reasonText(code) : detail,
    }));
    return lines.filter(({ label, text }, place) =>
        lines.findIndex(each => each.label === label && each.text === text) === place);
}

/** Whether an edit can be written again: its project takes none from somebody who has lost it. */
export const canRepeat = ({ reason }) => !['membership_revoked', 'project_deleted'].includes(reason);
