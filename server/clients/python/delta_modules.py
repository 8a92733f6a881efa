"""Makes the delta/v1 half of unitycatalog-client importable.

The published package holds unitycatalog.delta's endpoints and models, but not the modules they stand on
(api_client, rest and so on), so every import of them fails. The generator wrote the same modules for
unitycatalog.client; install() makes the missing ones from those, under the other name.
"""
import importlib
import importlib.util
import pkgutil
import sys
import types

MISSING = ("exceptions", "api_response", "configuration", "rest", "api_client")
NESTED = ("DeltaStructType", "DeltaArrayType", "DeltaMapType", "DeltaPrimitiveType", "DeltaDecimalType")


def install():
    """Returns the package with all models."""
    delta = importlib.import_module("unitycatalog.delta")
    delta.models = gather_models()
    for name in MISSING:
        derive(name)
    return delta.models


def gather_models():
    models = importlib.import_module("unitycatalog.delta.models")
    for info in pkgutil.iter_modules(models.__path__):
        module = importlib.import_module("unitycatalog.delta.models." + info.name)
        for name, value in vars(module).items():
            if isinstance(value, type) and value.__module__ == module.__name__:
                setattr(models, name, value)
    parser = importlib.import_module("unitycatalog.delta.internal.serde.delta_data_type_module")
    for name in NESTED:
        # as generated, these parse only what they share with their base class and drop their own fields
        getattr(models, name).from_dict = classmethod(lambda cls, o: None if o is None else parser._parse_type(o))
    return models


def derive(name):
    origin = "unitycatalog.client." + name
    source = importlib.util.find_spec(origin).loader.get_source(origin)
    module = types.ModuleType("unitycatalog.delta." + name)
    module.__package__ = "unitycatalog.delta"
    sys.modules[module.__name__] = module
    setattr(sys.modules["unitycatalog.delta"], name, module)
    exec(compile(source.replace("unitycatalog.client", "unitycatalog.delta"), module.__name__, "exec"), module.__dict__)
