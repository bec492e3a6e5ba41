"""What scripts/check-api checks beyond schemathesis: a refusal has one of the codes that the document names for it in
`x-codes`."""

import schemathesis


@schemathesis.check
def codes_are_documented(ctx, response, case):
    if response.status_code < 400:
        return
    document = case.operation.schema.raw_schema
    answer = document["paths"][case.operation.path][case.operation.method]["responses"].get(str(response.status_code))
    if answer is None:
        return  # status_code_conformance says so.
    name = answer.get("$ref", "").rpartition("/")[2]
    codes = (document["components"]["responses"][name] if name else answer)["x-codes"]
    if case.method == "HEAD" or not response.content:
        return
    code = response.json()["code"]
    assert code in codes, f"{response.status_code} {code}, documented are {', '.join(codes)}"
