"""Kinds of contract for import-linter: what a package may import from outside, and that no modules form a circle."""

from grimp import ImportGraph
from importlinter.application import output
from importlinter.domain import fields
from importlinter.domain.contract import Contract, ContractCheck


class OnlyContract(Contract):
    """Kept if every module of `package` imports, beyond the project itself, only what `allowed` names.

    A list of what is forbidden would have to name every module there is; this one is complete.
    """

    type_name = "only"

    package = fields.StringField()
    allowed = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        package = str(self.package)
        allowed = {str(name) for name in self.allowed}  # type: ignore[attr-defined]
        importers = {package} | graph.find_descendants(package)
        strangers = sorted(
            f"{importer} imports {imported} (line {detail['line_number']})"
            for importer in importers
            for imported in graph.find_modules_directly_imported_by(importer)
            if graph.is_module_squashed(imported) and imported not in allowed
            for detail in graph.get_import_details(importer=importer, imported=imported)
        )
        output.verbose_print(verbose, f"{len(importers)} modules of {package} looked at.")
        return ContractCheck(kept=not strangers, metadata={"strangers": strangers})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["strangers"]:
            output.print_error(line, bold=False)


class AcyclicContract(Contract):
    """Kept if no module of `package` imports itself by way of others, inside functions or for types either.

    Import-linter's own `acyclic_siblings` compares packages as a whole, and says nothing of `__init__`.
    """

    type_name = "acyclic"

    package = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        package = str(self.package)
        modules = {package} | graph.find_descendants(package)
        circles = sorted(
            f"{module} imports {imported}, which leads back to it"
            for module in modules
            for imported in graph.find_modules_directly_imported_by(module) & modules
            if graph.chain_exists(imported, module)
        )
        output.verbose_print(verbose, f"{len(modules)} modules of {package} looked at.")
        return ContractCheck(kept=not circles, metadata={"circles": circles})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["circles"]:
            output.print_error(line, bold=False)
